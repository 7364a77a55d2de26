/*
 * I6: a block is deleted only while it is empty, unmarked by any assign since it was seen idle, and older than the minimum age.
 * The same is asked of a take-over, and of the sweep that comes with the mark: nothing that is taken goes with it.
 *
 * A request takes an address of the block, claims the block anew where it is gone, and gives the address back, as released or
 * as never answered; the reclaimer runs three times; another host takes the block over. One write may stay on the wire.
 */
#define SLOTS 1
#define CLAIMS
#define REVISIONS
bool wrong, unmarked;
/* What was answered: 0, or the token that is to stand until it is freed. */
byte answer;
#define INVARIANT (!wrong && (answer == 0 || block[0].tag[0] == answer))
#define ANSWER(me, n, t) answer = t; printf("%d: answered: slot %d under token %d\n", _pid, n, token)
#define noteTake(b) unmarked = true
#define noteIdle(b) wrong = (wrong || !isEmpty(b)); unmarked = false
#define noteDelete(b) wrong = (wrong || !isEmpty(b) || unmarked || !block[b].old)
#define noteSeize(b) noteDelete(b)
#include "store.pml"
#include "walks.pml"
#include "assign.pml"

proctype caller() {
  mtype out;
  byte found, tries, learned, n, was, token, round;
  bool freed;
  assign(1);
  goto refused;
answered:
  answer = 0;
  if
  :: freeSlot(0, token, n, COOLING)
  :: freeSlot(0, token, n, 0)
  fi;
refused:
  skip
}

/* reclaim.ts, reclaimBlock: an empty block is swept and marked at first sight, deleted at the second. */
proctype reclaimer() {
  mtype out;
  byte pass, seen;
  bool swept, old;
  do
  :: pass == 3 -> break
  :: else ->
     pass++;
     atomic {
       if
       :: block[0].there && isEmpty(0) ->
          seen = block[0].revision; swept = (block[0].idle && block[0].tag[0] == 0); old = block[0].old
       :: else -> seen = 0
       fi
     };
     if
     :: seen != 0 && !swept -> atomic { markIdle(0, seen) }
     :: seen != 0 && swept && clause(min_age, old) -> atomic { deleteBlock(0, seen) }
     :: else
     fi
  od
}

/* claim-block.ts, seize, by a host that saw the block idle and old enough. */
proctype neighbour() {
  mtype out;
  byte seen;
  skip;
endWaiting:
  atomic { block[0].there && block[0].host == 1 && block[0].idle && block[0].old && isEmpty(0) -> seen = block[0].revision };
  atomic { changeHost(0, seen, 2) }
}

/* Time: a block becomes old enough at some moment. */
proctype clock() {
endYoung:
  do
  :: atomic { block[0].there && !block[0].old -> block[0].old = true }
  od
}

#include "network.pml"

init {
  atomic {
    leaveOut();
    block[0].there = true; block[0].host = 1; block[0].revision = 1; block[0].old = true;
    run caller(); run reclaimer(); run neighbour(); run clock()
  }
}
