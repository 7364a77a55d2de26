/**
 * Returns a text in which each control character is shown as `\\uXXXX`. Whoever may assign chooses attributes, and an escape sequence in
 * one would act in the terminal of an operator.
 *
 * @param kept a control character that the text may have
 */
export const printable = (text: string, kept = ""): string =>
  text.replace(/\p{Cc}/gu, (one) =>
    one === kept ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
