import { useRef } from "preact/hooks";

/** A pointer that moves less than this clicks. */
const DRAG_PX_MIN = 5;

/**
 * Returns the handlers of an element whose inside a pointer drags up and down. A drag is no click.
 *
 * @param drag gets how far the pointer is from where it began, in pixels
 * @param end is called when the pointer lets go after a drag
 */
export function useDrag(drag: (y: number) => void, end: () => void) {
  const from = useRef<{ readonly y: number; isDrag: boolean } | undefined>(undefined);
  const last = useRef({ isDrag: false });
  const letGo = () => {
    if (from.current?.isDrag) end();
    from.current = undefined;
  };
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0 || !event.isPrimary) return;
      from.current = { y: event.clientY, isDrag: false };
      last.current = from.current;
      // A fast pointer is outside with its first move. The click goes to the same target as without a capture.
      (event.target as Element).setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PointerEvent) {
      const { current } = from;
      if (!current) return;
      const y = event.clientY - current.y;
      if (!current.isDrag && Math.abs(y) < DRAG_PX_MIN) return;
      current.isDrag = true;
      drag(y);
    },
    onPointerUp: letGo,
    onPointerCancel: letGo,
    /** Keeps the click that ends a drag from what is inside. */
    onClickCapture(event: MouseEvent) {
      if (last.current.isDrag) event.stopPropagation();
    },
  };
}
