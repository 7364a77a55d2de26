/*
 * I4: every block that is affine to a host has an affinity row under that host; after a crash at the worst moment the next pass
 * of the reclaimer restores it.
 *
 * Two hosts claim the block, or take it over; the reclaimer and the collector are at work. One fault: a crash between any two
 * calls, or a write that stays on the wire. When all are done, and what was on the wire has landed or is lost, one more pass.
 */
#define REVISIONS
#define HOSTS 2
#define PLACES 3
byte stopped;
bool inMap; /* is the block's cell in the pool map? Whoever must see every block goes by that */

#define INVARIANT true /* judged after the next pass */
#include "store.pml"
#include "rows.pml"

/* rows.ts, restoreRow: at the lowest free place, unless one stands that is not about to go. */
#define stands(h, k) (at(h, k).state == pending || at(h, k).state == confirmed)
inline restoreRow(h) {
  tries = 0;
  do
  :: atomic {
       if
       :: stands(h, 0) || stands(h, 1) || stands(h, 2) || tries == 2 -> break
       :: else -> k = lowestFree(h)
       fi
     };
     atomic {
       createRow(h, k, confirmed);
       if
       :: out == done -> break
       :: else -> tries++
       fi
     }
  od;
  atomic { tries = 0; k = 0 }
}

/* rows.ts, confirmRow, and claim.ts, confirm: a row that the collector took for a stale one is written again. */
inline confirm(h, seen_) {
  atomic { changeRow(row_confirm_rev, h, place, seen_, confirmed) };
  if
  :: out == lost -> restoreRow(h)
  :: else
  fi
}

/* The next of the rows that were seen. */
inline nextOld() {
  do
  :: k < PLACES && old[k] == 0 -> k++
  :: else -> break
  od
}

/* rows.ts, retireRows: each row of the block `pendingDeletion`, as it was seen. A row that changed meanwhile stops it. */
inline retireRows(h) {
  atomic { old[0] = 0; old[1] = 0; old[2] = 0; retired = true; k = 0;
    do
    :: k < PLACES -> old[k] = (at(h, k).state != none -> at(h, k).revision : 0); k++
    :: else -> k = 0; break
    od
  };
  do
  :: atomic {
       nextOld();
       if
       :: k == PLACES -> k = 0; break
       :: else ->
          changeRow(row_retire_rev, h, k, old[k], pendingDeletion);
          if
          :: out == done -> old[k] = at(h, k).revision; k++
          :: else -> retired = false; k = 0; break
          fi
       fi
     }
  od
}
inline dropRows(h) {
  do
  :: atomic {
       nextOld();
       if
       :: k == PLACES -> k = 0; break
       :: else -> deleteRow(row_drop_rev, h, k, old[k]); old[k] = 0
       fi
     }
  od
}

/* pick.ts, acquire; claim.ts: a function of a host claims the block where there is none, or takes it over where it is idle. */
proctype function(byte me) {
  mtype out;
  byte place, seen, seenRow, other, k, tries;
  byte old[PLACES];
  bool retired;
  atomic {
    place = lowestFree(me);
    if
    :: !block[0].there -> goto claim
    :: block[0].there && block[0].host != me && block[0].idle -> seen = block[0].revision; other = block[0].host; goto takeOver
    :: else -> goto stop
    fi
  };

claim:
  if
  :: with(row_first) ->
     atomic {
       createRow(me, place, pending);
       if
       :: out == done -> seenRow = at(me, place).revision
       :: else -> goto stop
       fi
     }
  :: else
  fi;
  if
  :: with(cell_first) ->
     do
     :: atomic { addCell(); if :: out == done -> break :: else fi }
     od
  :: else
  fi;
  atomic {
    createBlock(0, me);
    if
    :: out != unknown && block[0].host != me -> goto undo
    :: else
    fi
  };
  if
  :: out == unknown ->
     atomic {
       if
       :: !block[0].there || block[0].host != me -> goto undo
       :: else
       fi
     }
  :: else
  fi;
  if
  :: !with(cell_first) -> atomic { addCell() }
  :: else
  fi;
  if
  :: !with(row_first) -> atomic { createRow(me, place, confirmed) }
  :: else -> confirm(me, seenRow)
  fi;
  goto stop;

takeOver:
  atomic {
    createRow(me, place, pending);
    if
    :: out == done -> seenRow = at(me, place).revision
    :: else -> goto stop
    fi
  };
  retireRows(other);
  if
  :: !retired -> goto undo
  :: else
  fi;
  atomic {
    changeHost(0, seen, me);
    if
    :: out != unknown && (!block[0].there || block[0].host != me) -> goto undo
    :: else
    fi
  };
  if
  :: out == unknown ->
     atomic {
       if
       :: !block[0].there || block[0].host != me -> goto undo
       :: else
       fi
     }
  :: else
  fi;
  confirm(me, seenRow);
  dropRows(other);
  goto stop;

undo:
  atomic { deleteRow(row_undo_rev, me, place, seenRow) };
stop:
  stopped++
}

/* reclaim.ts, reclaimBlock, with give-up.ts. It sees only what is in a cell of the map. */
inline reclaimPass() {
  atomic {
    seen = 0;
    if
    :: block[0].there && inMap -> seen = block[0].revision; other = block[0].host; idle = block[0].idle
    :: else
    fi
  };
  if
  :: seen != 0 && !hasRow(other) ->
     if
     :: with(restore) -> restoreRow(other)
     :: else
     fi
  :: seen != 0 && hasRow(other) && !idle -> atomic { markIdle(0, seen) }
  :: seen != 0 && hasRow(other) && idle ->
     retireRows(other);
     if
     :: retired ->
        atomic { deleteBlock(0, seen); keep = (out == lost && block[0].there && block[0].host == other); gone = (out == done || (out == lost && !block[0].there)) };
        if
        :: gone -> dropRows(other)
        :: keep ->
           do
           :: atomic {
                nextOld();
                if
                :: k == PLACES -> k = 0; break
                :: else -> changeRow(row_keep_rev, other, k, old[k], confirmed); old[k] = 0
                fi
              }
           od
        :: else
        fi
     :: else
     fi
  :: else
  fi
}

/* collect.ts, collectRows: a row of no block of the host's goes, so does the second of two; the one that stays is confirmed. */
inline collectRows(h) {
  atomic {
    kept = NONE; k = 0;
    do
    :: k < PLACES ->
       old[k] = (at(h, k).state != none -> at(h, k).revision : 0);
       isConfirmed[k] = (at(h, k).state == confirmed);
       if
       :: isConfirmed[k] && kept == NONE -> kept = k
       :: else
       fi;
       k++
    :: else -> k = 0; break
    od;
    if
    :: kept == NONE -> nextOld(); kept = k; k = 0
    :: else
    fi
  };
  atomic { right = (block[0].there && block[0].host == h) };
  do
  :: atomic {
       nextOld();
       if
       :: k == PLACES -> k = 0; right = false; kept = 0; isConfirmed[0] = false; isConfirmed[1] = false; isConfirmed[2] = false; break
       :: else ->
          if
          :: !right -> deleteRow(collect_row_rev, h, k, old[k])
          :: right && k != kept && isConfirmed[kept] -> deleteRow(collect_twin_rev, h, k, old[k])
          :: right && k == kept && !isConfirmed[k] -> changeRow(collect_confirm_rev, h, k, old[k], confirmed)
          :: else
          fi;
          old[k] = 0
       fi
     }
  od
}

/* While the others are at work: a pass of either kind. */
proctype passes() {
  mtype out;
  byte seen, other, k, tries, kept, h;
  byte old[PLACES];
  bool retired, idle, keep, gone, right, isConfirmed[PLACES];
  if
  :: reclaimPass()
  :: atomic { if :: h = 1 :: h = 2 fi }; collectRows(h)
  fi;
  stopped++
}

/*
 * The next pass after all that, when nothing else is at work: who has not come to an end has crashed, and what is on the wire is
 * lost. What it leaves is judged.
 */
proctype nextPass() {
  mtype out;
  byte seen, other, k, tries, kept, h, turn, reclaimer;
  byte old[PLACES];
  bool retired, idle, keep, gone, right, isConfirmed[PLACES];
  atomic {
    stopped == 3 || (stopped == 2 && faults > 0) -> faults = 0;
    /* The reclaimer before the collector, or after it. */
    if
    :: reclaimer = 0
    :: reclaimer = 2
    fi;
    h = 1; turn = 0;
    do
    :: turn == 3 -> break
    :: turn < 3 && turn == reclaimer -> reclaimPass(); turn++
    :: turn < 3 && turn != reclaimer -> collectRows(h); h = 2; turn++
    od;
    assert(!block[0].there || block[0].host == 0 || hasRow(block[0].host))
  }
}

#include "network.pml"

init {
  atomic {
    leaveOut();
    block[0].revision = 1;
    /* No block yet, or one of host 1 that was seen idle. */
    if
    :: true
    :: block[0].there = true; block[0].host = 1; block[0].idle = true; inMap = true; at(1, 0).state = confirmed
    fi;
    run function(1); run function(2); run passes(); run nextPass()
  }
}
