/*
 * The walks of src/kernel that work on the slots of a block. They stand on the variables of the process that runs them:
 * `out` (how the last call ended), `found` (an ordinal, or NONE), `freed`, `tries`.
 */

/* ---- fence-block.ts, rule 1 ---- */

/* Changes the epoch and shows what the token holds after that. One that is unknown is sent again: it does no harm twice. */
inline fence(act, b, t) {
  do
  :: atomic {
       if
       :: with(act) -> fenceBlock(b)
       :: else -> out = done
       fi;
       if
       :: out == unknown
       :: else -> found = heldAt(b, t); break
       fi
     }
  od
}

/* ---- free-slots.ts ---- */

/*
 * Frees what is taken under a token, first where it is believed to stand. `found` is what is left of it, `freed` whether this
 * call freed it, or may have.
 */
inline freeSlot(b, t, hint, cools) {
  found = hint; freed = false;
  do
  :: atomic {
       freeSlots(b, found, t, cools);
       if
       :: out == done -> freed = true; found = heldAt(b, t); break
       :: out == lost ->
          /* The block came back, and decides. */
          found = heldAt(b, t);
          if :: found == NONE -> break :: else fi
       :: else
       fi
     };
     if
     :: out == unknown ->
        /* Rule 3: it is looked at. One that lands late frees what was to be freed. */
        atomic {
          if
          :: heldAt(b, t) != NONE -> found = heldAt(b, t)
          :: else ->
             /* What was never seen taken and is free may be about to be taken: it proves nothing. */
             freed = cools && block[b].there && (block[b].tag[0] == (t | cools) || block[b].tag[SLOTS - 1] == (t | cools));
             found = NONE;
             break
          fi
        }
     :: else
     fi
  od
}
