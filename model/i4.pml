/*
 * I4: every block that is affine to a host has an affinity under that host; after a crash at the worst moment the next pass
 * of the reclaimer restores it.
 *
 * Two hosts claim the block, or take it over; the reclaimer and the repair run are at work. One fault: a crash between any two
 * calls, or a write that stays on the wire. When all are done, and what was on the wire has landed or is lost, one more pass.
 */
#define REVISIONS
#define HOSTS 2
#define PLACES 3
byte stopped;
bool inIndex; /* is the block's block group in the block-group index? Whoever must see every block goes by that */

#define INVARIANT true /* judged after the next pass */
#include "store.pml"
#include "affinities.pml"

/* affinities.ts, restoreAffinity: at the lowest free place, unless one stands that is not about to go. */
#define stands(h, k) (at(h, k).state == pending || at(h, k).state == confirmed)
inline restoreAffinity(h) {
  tries = 0;
  do
  :: atomic {
       if
       :: stands(h, 0) || stands(h, 1) || stands(h, 2) || tries == 2 -> break
       :: else -> k = lowestFree(h)
       fi
     };
     atomic {
       createAffinity(h, k, confirmed);
       if
       :: out == done -> break
       :: else -> tries++
       fi
     }
  od;
  atomic { tries = 0; k = 0 }
}

/* affinities.ts, confirmAffinity, and claim-block.ts, confirm: a affinity that the repair run took for a stale one is written again. */
inline confirm(h, seen_) {
  atomic { changeAffinity(affinity_confirm_rev, h, place, seen_, confirmed) };
  if
  :: out == lost -> restoreAffinity(h)
  :: else
  fi
}

/* The next of the affinities that were seen. */
inline nextOld() {
  do
  :: k < PLACES && old[k] == 0 -> k++
  :: else -> break
  od
}

/* affinities.ts, markPendingDeletion: each affinity of the block `pendingDeletion`, as it was seen. A affinity that changed meanwhile stops it. */
inline retireAffinities(h) {
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
          changeAffinity(affinity_retire_rev, h, k, old[k], pendingDeletion);
          if
          :: out == done -> old[k] = at(h, k).revision; k++
          :: else -> retired = false; k = 0; break
          fi
       fi
     }
  od
}
inline dropAffinities(h) {
  do
  :: atomic {
       nextOld();
       if
       :: k == PLACES -> k = 0; break
       :: else -> deleteAffinity(affinity_drop_rev, h, k, old[k]); old[k] = 0
       fi
     }
  od
}

/* select-slots.ts, acquire; claim-block.ts: a function of a host claims the block where there is none, or takes it over where it is idle. */
proctype function(byte me) {
  mtype out;
  byte place, seen, seenAffinity, other, k, tries;
  byte old[PLACES];
  bool retired;
  atomic {
    place = lowestFree(me);
    if
    :: !block[0].there -> goto claim
    :: block[0].there && block[0].host != me && block[0].idle -> seen = block[0].revision; other = block[0].host; goto seize
    :: else -> goto stop
    fi
  };

claim:
  if
  :: with(affinity_first) ->
     atomic {
       createAffinity(me, place, pending);
       if
       :: out == done -> seenAffinity = at(me, place).revision
       :: else -> goto stop
       fi
     }
  :: else
  fi;
  if
  :: with(group_first) ->
     do
     :: atomic { addGroup(); if :: out == done -> break :: else fi }
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
  :: !with(group_first) -> atomic { addGroup() }
  :: else
  fi;
  if
  :: !with(affinity_first) -> atomic { createAffinity(me, place, confirmed) }
  :: else -> confirm(me, seenAffinity)
  fi;
  goto stop;

seize:
  atomic {
    createAffinity(me, place, pending);
    if
    :: out == done -> seenAffinity = at(me, place).revision
    :: else -> goto stop
    fi
  };
  retireAffinities(other);
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
  confirm(me, seenAffinity);
  dropAffinities(other);
  goto stop;

undo:
  atomic { deleteAffinity(affinity_undo_rev, me, place, seenAffinity) };
stop:
  stopped++
}

/* reclaim.ts, reclaimBlock, with delete-empty-block.ts. It sees only what is in a block group of the index. */
inline reclaimRun() {
  atomic {
    seen = 0;
    if
    :: block[0].there && inIndex -> seen = block[0].revision; other = block[0].host; idle = block[0].idle
    :: else
    fi
  };
  if
  :: seen != 0 && !hasAffinity(other) ->
     if
     :: with(restore) -> restoreAffinity(other)
     :: else
     fi
  :: seen != 0 && hasAffinity(other) && !idle -> atomic { markIdle(0, seen) }
  :: seen != 0 && hasAffinity(other) && idle ->
     retireAffinities(other);
     if
     :: retired ->
        atomic { deleteBlock(0, seen); keep = (out == lost && block[0].there && block[0].host == other); gone = (out == done || (out == lost && !block[0].there)) };
        if
        :: gone -> dropAffinities(other)
        :: keep ->
           do
           :: atomic {
                nextOld();
                if
                :: k == PLACES -> k = 0; break
                :: else -> changeAffinity(affinity_keep_rev, other, k, old[k], confirmed); old[k] = 0
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

/* repair.ts, repairAffinities: a affinity of no block of the host's goes, so does the second of two; the one that stays is confirmed. */
inline repairAffinities(h) {
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
          :: !right -> deleteAffinity(repair_affinity_rev, h, k, old[k])
          :: right && k != kept && isConfirmed[kept] -> deleteAffinity(repair_duplicate_rev, h, k, old[k])
          :: right && k == kept && !isConfirmed[k] -> changeAffinity(repair_confirm_rev, h, k, old[k], confirmed)
          :: else
          fi;
          old[k] = 0
       fi
     }
  od
}

/* While the others are at work: a pass of either kind. */
proctype runs() {
  mtype out;
  byte seen, other, k, tries, kept, h;
  byte old[PLACES];
  bool retired, idle, keep, gone, right, isConfirmed[PLACES];
  if
  :: reclaimRun()
  :: atomic { if :: h = 1 :: h = 2 fi }; repairAffinities(h)
  fi;
  stopped++
}

/*
 * The next pass after all that, when nothing else is at work: who has not come to an end has crashed, and what is on the wire is
 * lost. What it leaves is judged.
 */
proctype nextRun() {
  mtype out;
  byte seen, other, k, tries, kept, h, turn, reclaimer;
  byte old[PLACES];
  bool retired, idle, keep, gone, right, isConfirmed[PLACES];
  atomic {
    stopped == 3 || (stopped == 2 && faults > 0) -> faults = 0;
    /* The reclaimer before the repair run, or after it. */
    if
    :: reclaimer = 0
    :: reclaimer = 2
    fi;
    h = 1; turn = 0;
    do
    :: turn == 3 -> break
    :: turn < 3 && turn == reclaimer -> reclaimRun(); turn++
    :: turn < 3 && turn != reclaimer -> repairAffinities(h); h = 2; turn++
    od;
    assert(!block[0].there || block[0].host == 0 || hasAffinity(block[0].host))
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
    :: block[0].there = true; block[0].host = 1; block[0].idle = true; inIndex = true; at(1, 0).state = confirmed
    fi;
    run function(1); run function(2); run runs(); run nextRun()
  }
}
