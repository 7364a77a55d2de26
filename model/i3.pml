/*
 * I3: every taken slot has its allocation, so that a crash at any point leaks no address.
 *
 * One request takes an address, and may frees it by its generation; somebody releases its handle; the repair run takes it
 * for one whose owner is gone. Each may stall or crash anywhere, and one write may stay on the wire.
 */
#define PARTS 1
#define SLOTS 2
#define named(t) (allocation.state != absent && allocation.token[0] == t)
#define hasAllocation(n) (isFree(0, n) || named(block[0].tag[n]))
#define INVARIANT (hasAllocation(0) && hasAllocation(1))
#define ANSWER(me, n, token) skip; printf("%d: answered: slot %d under token %d\n", _pid, n, token)
#include "store.pml"
#include "walks.pml"
#include "assign.pml"
#include "close.pml"

#define CALLER 1

proctype caller() {
  mtype out; byte found, tries, learned, n, was, token, round, mine, seen, rev; bool freed;
  assign(CALLER);
  goto refused;
answered:
  if
  :: releaseAddress(token, n)
  :: true
  fi;
refused:
  skip
}

proctype releaser() {
  mtype out; byte found, tries, seen, token, hint, rev; bool freed;
  releaseHandle();
stop:
  skip
}

proctype repairRun() {
  mtype out; byte found, tries, seen, token, hint; bool freed, over;
  repairAllocation()
}

#include "network.pml"

init {
  atomic {
    leaveOut();
    block[0].there = true; run caller(); run releaser(); run repairRun()
  }
}
