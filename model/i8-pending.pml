/*
 * I8 for a request that takes several writes: the same request with the same key has the same addresses, and nothing is left
 * over of an execution that came to nothing (I3).
 *
 * Two executions of one keyed request for two addresses in two blocks; and one of: somebody releases its handle, the repair run
 * runs. One write may stay on the wire.
 */
#define PARTS 2
#define BLOCKS 2
#define SLOTS 1
byte answer0, answer1;
bool ending, begun;
#define named(n) (isFree(n, 0) || (allocation.state != absent && allocation.token[n] == block[n].tag[0]))
#define stays(n, t) (block[n].tag[0] == t)
#define INVARIANT (named(0) && named(1) && (answer0 == 0 || ending || (stays(0, answer0) && stays(1, answer1))))
#define ANSWER(t0, t1) printf("%d: answered: tokens %d and %d\n", _pid, t0, t1); assert(answer0 == 0 || (answer0 == t0 && answer1 == t1)); answer0 = t0; answer1 = t1
#include "store.pml"
#include "walks.pml"
#include "pending.pml"

proctype execution(byte me) {
  mtype out, otherState, endState;
  byte found, round, mine, seen, rev, other, looks, cools, k;
  byte held[2], learned[2], was[2], token[2], others[2];
  bool freed;
  /* They are alike: the second is the one that comes to its allocation later. */
endSecond:
  me == 1 || begun;
  assignTwo(me);
answered:
refused:
  skip
}

#define ENDER 15
proctype third() {
  mtype out, otherState, endState;
  byte found, rev, other, cools, k, others[2];
  bool freed, handle;
  if
  :: handle = true
  :: handle = false
  fi;
endAwaiting:
  atomic { allocation.state != absent -> copyAllocation(); ending = handle };
  if
  :: handle || otherState == open || otherState == aborted ->
     /* close-allocation.ts, endAllocation: a released allocation with a key stays. repair.ts, repairAllocation: what is not answered is aborted. */
     endAsSeen(ENDER, (handle -> end_rev : repair_abort_rev), (handle -> handle_fence : repair_abort_fence));
     if
     :: otherState == aborted -> atomic { deleteAllocation((handle -> end_delete_rev : repair_aborted_rev), other) }
     :: else
     fi
  :: !handle && otherState == live ->
     lookAtBoth();
     if
     :: found == NONE -> fenceBoth(repair_fence)
     :: else
     fi;
     atomic {
       if
       :: found == NONE -> deleteAllocation(repair_rev, other)
       :: else
       fi
     }
  :: !handle && otherState == released
  fi;
changed:
  skip
}

#include "network.pml"

init {
  atomic {
    leaveOut();
    block[0].there = true; block[1].there = true;
    run execution(1); run execution(2); run third()
  }
}
