/*
 * I8: the same request with the same key has the same address, and never more than it asked for. That every taken slot has its
 * allocation (I3) is judged beside it.
 *
 * Two executions of one keyed request for one address, the second begun because the first was slow or not heard of again; and
 * one of: its caller gives the address back, somebody releases its handle, the repair run runs.
 */
#define PARTS 1
#define SLOTS 2
#define KEYED
/* What was answered: the token, and where; 0 before. It stands until somebody asks for the release. */
byte answer, answeredAt;
bool ending;
#define hasAllocation(n) (isFree(0, n) || (allocation.state != absent && allocation.token[0] == block[0].tag[n]))
#define stays (answer == 0 || ending || block[0].tag[answeredAt] == answer)
#define INVARIANT (stays && hasAllocation(0) && hasAllocation(1) && (isFree(0, 0) || isFree(0, 1)))
#define ANSWER(me, n, t) printf("%d: answered: slot %d under token %d\n", _pid, n, t); assert(answer == 0 || (answer == t && answeredAt == n)); answer = t; answeredAt = n
#include "store.pml"
#include "walks.pml"
#include "assign.pml"
#include "close.pml"

proctype execution(byte me) {
  mtype out, otherState;
  byte found, tries, learned, n, was, token, round, mine, seen, rev, other, otherToken, looks;
  bool freed;
  assign(me);
answered:
refused:
  skip
}

proctype third() {
  mtype out;
  byte found, tries, seen, token, hint, rev;
  bool freed, over;
  if
  :: skip;
endUnanswered:
     atomic { answer != 0 -> ending = true; token = answer; hint = answeredAt };
     releaseKeyedAddress(token, hint)
  :: skip;
endUntold:
     atomic { allocation.state != absent -> ending = true };
     releaseHandle()
  :: repairAllocation()
  fi;
stop:
  skip
}

#include "network.pml"

init {
  atomic {
    leaveOut();
    block[0].there = true; run execution(1); run execution(2); run third()
  }
}
