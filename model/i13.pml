/*
 * I13: an address that a pool cuts out of the Applications pool around it is not held for an application. put-application.ts,
 * admin/add-addresses.ts, admin/cut-check.ts, jobs/shrink-pool.ts.
 *
 * An application grows, and may make the block; the address is added to a ranged pool; a job gives up what is about to be added. One
 * write may stay on the wire.
 */
#define HELD_TOKEN 8
#define INVARIANT (!(pool.state == serving && block[0].tag[0] == HELD_TOKEN))
#define LANDINGS :: wire.write == changePoolWrite -> landChangePool(wire.x1, wire.x2, wire.x3, wire.x4)
#include "store.pml"
#include "walks.pml"

/* Whether the ranged pool has the address. */
mtype = { outside, adding, serving };
typedef Pool { mtype state = outside; byte revision };
Pool pool;

mtype = { changePoolWrite };
inline landChangePool(act, seen_, state_, rev) {
  if
  :: clause(act, pool.revision == seen_) ->
     if
     :: state_ == outside -> printf("%d: the pool does not get the address\n", _pid)
     :: state_ == adding -> printf("%d: the pool is about to get the address\n", _pid)
     :: state_ == serving -> printf("%d: the pool has the address\n", _pid)
     fi;
     pool.state = state_; pool.revision = rev; out = done
  :: else -> out = lost
  fi
}
inline changePool(act, seen_, state_, rev) {
  if
  :: d_step { landChangePool(act, seen_, state_, rev) }
  :: faults > 0 -> onTheWire(changePoolWrite, act, seen_, state_, rev, 0, 0, 0)
  fi
}

/* The pools → the block → the pools again → the slot. Of the item of the application, see i15-grow.pml. */
proctype growth() {
  mtype out;
  byte learned;
  atomic {
    if
    :: pool.state == outside
    :: else -> goto stop
    fi
  };
  atomic {
    if
    :: block[0].there -> out = done
    :: else -> createBlock(0, 0)
    fi;
    if
    :: out == done -> learned = block[0].epoch
    :: else -> goto stop
    fi
  };
  atomic {
    if
    :: with(second_look) && pool.state != outside -> goto stop
    :: else
    fi
  };
  atomic { takeSlots(0, 0, HELD_TOKEN, learned, 0) };
stop:
  skip
}

proctype change() {
  mtype out;
  byte found, seen;
  atomic { seen = pool.revision };
  if
  :: with(adding_first) ->
     atomic {
       changePool(add_addresses_rev, seen, adding, 17);
       if
       :: out == done -> seen = 17
       :: else -> goto stop
       fi
     }
  :: else
  fi;
  fence(cut_fence, 0, HELD_TOKEN);
  if
  :: found != NONE -> atomic { changePool(add_undo_rev, seen, outside, 18) }
  :: else -> atomic { changePool(put_pool_rev, seen, serving, 18) }
  fi;
stop:
  skip
}

proctype job() {
  mtype out;
  byte seen;
  skip;
endAwaiting:
  atomic { pool.state == adding -> seen = pool.revision };
  atomic { changePool(shrink_pool_rev, seen, outside, 33) }
}

#include "network.pml"

init {
  atomic {
    leaveOut();
    pool.revision = 1;
    if
    :: block[0].there = true
    :: true
    fi;
    run growth(); run change(); run job()
  }
}
