/*
 * I15 while an application grows: it has one address and gets another one of the same block, or it is new (NEW); it is deleted, or wants
 * none any more; and another application may hold the same addresses. An address is listed before it is held, until it is let go, and what either application holds stays its own.
 *
 * One write may stay on the wire, or one of the requests crashes: then one run of the repair, and what it leaves is judged.
 */
#define PARTS 1
#define SLOTS 2
#ifndef NEW
#define NEW false
#endif
#define GROWTH 1
#define OPERATOR 3
#define NEXT_REPAIR 5
/* What the other application holds: the entry, which nobody else may let go. */
byte anothers, place;
byte stopped;
#define INVARIANT (isListed(0) && isListed(1) && isOwnKept(0) && isOwnKept(1) && (anothers == 0 || block[0].tag[place] == anothers))
#define ANSWER(me, n, t) skip
#include "store.pml"
#include "walks.pml"
#include "application.pml"

proctype growth() {
  mtype out, goal;
  byte learned, n, was;
  SEEN;
  put(GROWTH, 2);
  atomic { stopped++; out = 0; appRev = 0 }
}

proctype operator() {
  mtype out, goal;
  byte learned, n, was;
  SEEN;
  if
  :: endApplication(OPERATOR)
  :: put(OPERATOR, 0)
  fi;
  atomic { stopped++; out = 0; appRev = 0 }
}

/* Another application, whose item and faults are left out, holds a free address. */
proctype another() {
  mtype out;
  byte learned, was, n;
  atomic {
    if
    :: isFree(0, 0) -> n = 0
    :: isFree(0, 1) -> n = 1
    :: else -> goto stop
    fi;
    learned = block[0].epoch; was = block[0].tag[n]
  };
  atomic {
    d_step { landTakeSlots(0, n, HELD + ANOTHERS, learned, was) };
    if
    :: out == done -> anothers = HELD + ANOTHERS; place = n
    :: else
    fi
  };
stop:
  atomic { stopped++; learned = 0; was = 0; n = 0; out = 0 }
}

/* When the others have come to their end, or one of them has crashed and what was on the wire is lost. */
proctype nextRun() {
  mtype out;
  SEEN;
  atomic {
    stopped == 3 || (stopped == 2 && faults > 0);
    assert(stopped != 3 || faults < FAULTS || areAtRest);
    faults = 0;
    repairApplication(NEXT_REPAIR);
    assert(areAtRest)
  }
}

#include "network.pml"

init {
  atomic {
    leaveOut();
    block[0].there = true;
    if
    :: NEW
    :: else -> block[0].tag[0] = HELD + 8 * OPERATOR; putApplication(standing, 1, own, unlisted, 1)
    fi;
    run growth(); run operator(); run another(); run nextRun()
  }
}
