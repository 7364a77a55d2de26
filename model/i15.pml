/*
 * I15: an address that an application has is held for it, or one instance of it has it, and it is listed until it is let go. So nobody
 * else gets it, and nothing is left of an application that is gone. What an instance was answered stands until it is given back.
 *
 * The application has one address. One instance takes it, and may give it back, answered or not; the application is deleted, or wants
 * none any more; and another instance takes the address, or the repair run runs (REPAIRS). One write may stay on the wire, or one of them
 * crashes: then one more run of the repair, and what it leaves is judged.
 */
#define PARTS 1
#define SLOTS 1
#define ROUNDS 1
#ifndef REPAIRS
#define REPAIRS false
#endif
#define INSTANCE 1
#define OTHER 2
#define OPERATOR 3
#define REPAIR 4
#define NEXT_REPAIR 5
/* What each was answered: its token, until it is given back. */
byte told, toldOther;
byte stopped;
#define OTHER_TOKEN (8 * OTHER)
#define hasAllocation (!isInUse(0) || block[0].tag[0] == OTHER_TOKEN || (allocation.state != absent && allocation.token[0] == block[0].tag[0]))
#define stands(t) (t == 0 || block[0].tag[0] == t)
#define INVARIANT (isListed(0) && isOwnKept(0) && hasAllocation && stands(told) && stands(toldOther))
#define ANSWER(me, n, t) told = t
/* select-held.ts: a slot that is held for the application. A copy of its item may list the address for long. */
#define hasRoom(b) isHeld(0)
#define choose(b, n, was) n = 0; was = block[b].tag[0]
#define GIVEN_BACK HELD
#include "store.pml"
#include "walks.pml"
#include "application.pml"
#include "assign.pml"
#include "close.pml"

/* release-instance.ts: decided, freed, settled, deleted. A request that comes to nothing gives back what it took in the same way. */
proctype instance() {
  mtype out;
  byte found, tries, learned, n, was, token, round, mine, seen, rev;
  bool freed;
  SEEN;
  assign(INSTANCE);
answered:
  if
  :: goto refused /* it keeps the address */
  :: true
  fi;
  do
  :: atomic {
       told = 0;
       freshRevision(INSTANCE, rev);
       changeAllocation(instance_end_rev, mine, released, rev, token, 0, n);
       if
       :: out == done -> mine = rev; break
       :: else
       fi
     };
     atomic {
       mine = allocation.revision;
       if
       :: allocation.state == released -> break
       :: else
       fi
     }
  od;
  freeSlot(0, token, n, HELD);
  settleFreed(INSTANCE);
  atomic { deleteAllocation(instance_delete_rev, mine) };
refused:
  atomic { stopped++; learned = 0; n = 0; was = 0; token = 0; mine = 0; seen = 0; found = 0; freed = 0; round = 0; tries = 0; out = 0; rev = 0; appRev = 0 }
}

/* Another instance, whose allocation and faults are left out: it takes the address, and keeps it. */
proctype other() {
  mtype out;
  byte learned, was;
  atomic {
    if
    :: isHeld(0) -> learned = block[0].epoch; was = block[0].tag[0]
    :: else -> goto stop
    fi
  };
  atomic {
    d_step { landTakeSlots(0, 0, OTHER_TOKEN, learned, was) };
    if
    :: out == done -> toldOther = OTHER_TOKEN
    :: else
    fi
  };
stop:
  atomic { stopped++; learned = 0; was = 0; out = 0 }
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

proctype repairRun() {
  mtype out;
  byte found, tries, seen, token, hint;
  bool freed, over;
  SEEN;
  if
  :: allocation.state != absent -> repairAllocation()
  :: repairApplication(REPAIR)
  fi;
  atomic { stopped++; found = 0; tries = 0; seen = 0; token = 0; hint = 0; freed = 0; over = 0; out = 0; appRev = 0 }
}

/* When the others have come to their end, or one of them has crashed and what was on the wire is lost. */
proctype nextRun() {
  mtype out;
  byte found, tries, seen, token, hint;
  bool freed, over;
  SEEN;
  skip;
endWaiting:
  atomic {
    stopped == 3 || (stopped == 2 && faults > 0);
    assert(stopped != 3 || faults < FAULTS || areAtRest);
    faults = 0;
    if
    :: allocation.state != absent -> repairAllocation()
    :: else
    fi;
    repairApplication(NEXT_REPAIR);
    assert(areAtRest)
  }
}

#include "network.pml"

init {
  atomic {
    leaveOut();
    block[0].there = true; block[0].tag[0] = HELD + 8 * OPERATOR;
    putApplication(standing, 1, own, unlisted, 1);
    run instance(); run operator(); run nextRun();
    if
    :: REPAIRS -> run repairRun()
    :: else -> run other()
    fi
  }
}
