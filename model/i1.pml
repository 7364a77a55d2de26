/*
 * I1: an address has at most one owner at any moment.
 *
 * Three requests race for one address, whose block may have to be claimed first; one of them may frees it, and then a second
 * time. One write may stay on the wire. The allocations are left out: the slot decides.
 */
#define SLOTS 1
#define CLAIMS
#define ROUNDS 2
/* Who was told "assigned", and has not asked for the release. */
bool owns[4];
#define INVARIANT (owns[1] + owns[2] + owns[3] <= 1)
#define ANSWER(me, n, t) owns[me] = true; printf("%d: answered: slot %d under token %d\n", _pid, n, token)
#include "store.pml"
#include "walks.pml"
#include "assign.pml"

proctype caller(byte me) {
  mtype out;
  byte found, tries, learned, n, was, token, round;
  bool freed;
  assign(me);
  goto refused;
answered:
  round = 0;
  do
  :: me == 1 && round < 2 ->
     atomic { round++; owns[me] = false };
     freeSlot(0, token, n, COOLING)
  :: break
  od;
refused:
  skip
}

#include "network.pml"

init {
  atomic {
    leaveOut();
    run caller(1); run caller(2); run caller(3)
  }
}
