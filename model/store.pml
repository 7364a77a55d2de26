/*
 * The table, and the one fault.
 *
 * DynamoDB works on one item at a time, so a call is one atomic step here: its condition is judged and its change made, or
 * neither. Between two calls of a process anything may happen, for however long: the search tries every order. That is
 * what a stall is; a crash is a stall that never ends. So neither needs a step of its own.
 *
 * The fault that needs one is a write whose author never hears of it: it stays on the wire and lands at any later moment,
 * under the condition that it was sent with, or never. That it landed and only the answer was lost is the same with the
 * landing at once. A configuration says how many there are (FAULTS).
 *
 * Time has no clock here. Whatever the code calls old, young or cooled may be so at any moment; where only one of the two
 * leads anywhere, the other is left out.
 */

#include "clauses.pml"

/* What a configuration wants to note of a write, for its invariant. */
#ifndef noteTake
#define noteTake(b) skip
#endif
#ifndef noteIdle
#define noteIdle(b) skip
#endif
#ifndef noteDelete
#define noteDelete(b) skip
#endif
#ifndef noteSeize
#define noteSeize(b) skip
#endif

#ifndef BLOCKS
#define BLOCKS 1
#endif
#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef FAULTS
#define FAULTS 1
#endif
/* Another fault: a layer below us sends a write twice, although it is told not to (src/table/dynamodb-table.ts), and we hear of the second. */
#ifndef REPEATS
#define REPEATS false
#endif

/* How a call ended: src/base/outcome.ts. After `lost` the caller has the item as it stands, so it goes on in the same step. */
mtype = { done, lost, unknown };

/* ---- blocks: src/kernel/items/block.ts ---- */

#define NONE 255
#define COOLING 128 /* beside the token of a slot that was released */

/*
 * An epoch and a revision are fresh values: they only tell whether the item is as it was seen. Numbers that go up do the
 * same, and go on where they were when a block is put again.
 */
typedef Block {
  bool there;
  byte host;
  bool idle;       /* marked at first sight of the reclaimer */
  bool old;        /* claimed longer ago than the minimum age */
  byte epoch;
  byte revision;   /* counted only where somebody looks at it (REVISIONS) */
  byte tag[SLOTS]; /* 0: never used; a token: taken; a token and COOLING: released */
};
Block block[BLOCKS];
#ifdef REVISIONS
#define revise(b) block[b].revision++
#else
#define revise(b) skip
#endif

#define isFree(b, n) (block[b].tag[n] == 0 || block[b].tag[n] >= COOLING)
#define isTaken(b, n) (!isFree(b, n))
/* The ordinal taken under a token, of the two that a block has at most, or NONE. */
#define heldAt(b, t) (!block[b].there -> NONE : (block[b].tag[0] == t -> 0 : (block[b].tag[SLOTS - 1] == t -> SLOTS - 1 : NONE)))
#define isEmpty(b) (isFree(b, 0) && isFree(b, SLOTS - 1))

/* ---- what is on the wire ---- */

mtype = { nowhere, takeSlotsWrite, freeSlotsWrite, fenceWrite, createBlockWrite, deleteBlockWrite, changeHostWrite, markIdleWrite,
  createAllocationWrite, changeAllocationWrite, deleteAllocationWrite, markGivenWrite, deleteAllocationOfTokenWrite };
typedef Wire { mtype write = nowhere; byte x1; byte x2; byte x3; byte x4; byte x5; byte x6; byte x7 };
Wire wire;
byte faults = FAULTS;

inline onTheWire(write_, x1_, x2_, x3_, x4_, x5_, x6_, x7_) {
  faults--;
  printf("%d: a write goes on the wire, and is not heard of again\n", _pid);
  wire.write = write_; wire.x1 = x1_; wire.x2 = x2_; wire.x3 = x3_; wire.x4 = x4_; wire.x5 = x5_; wire.x6 = x6_; wire.x7 = x7_;
  out = unknown
}

/* ---- writes of a block; `landX` is what DynamoDB does, `x` is what its author gets ---- */

inline landTakeSlots(b, n, t, epochLearned, was) {
  if
  :: block[b].there && clause(take_epoch, block[b].epoch == epochLearned) && clause(take_slot, block[b].tag[n] == was) ->
     block[b].tag[n] = t;
     if :: with(take_unidle) -> block[b].idle = false :: else fi;
     if :: with(take_revision) -> revise(b) :: else fi;
     noteTake(b);
     printf("%d: slot %d of block %d is taken under token %d\n", _pid, n, b, t);
     out = done
  :: else -> out = lost
  fi
}
inline takeSlots(b, n, t, epochLearned, was) {
  if
  :: d_step { landTakeSlots(b, n, t, epochLearned, was) }
  :: REPEATS && faults > 0 -> faults--; d_step { landTakeSlots(b, n, t, epochLearned, was) }; d_step { landTakeSlots(b, n, t, epochLearned, was) }
  :: faults > 0 -> onTheWire(takeSlotsWrite, b, n, t, epochLearned, was, 0, 0)
  fi
}

/* `cools` is COOLING; HELD, where an application holds it again; or 0 where nobody was ever told: then it is as if never used. */
inline landFreeSlots(b, n, t, cools) {
  if
  :: block[b].there && n != NONE && clause(free_tag, block[b].tag[n] == t) ->
     printf("%d: slot %d of block %d, of token %d, is freed for token %d\n", _pid, n, b, block[b].tag[n], t);
     block[b].tag[n] = (cools -> (t | cools) : 0);
     revise(b);
     out = done
  :: else -> out = lost
  fi
}
inline freeSlots(b, n, t, cools) {
  if
  :: d_step { landFreeSlots(b, n, t, cools) }
  :: faults > 0 -> onTheWire(freeSlotsWrite, b, n, t, cools, 0, 0, 0)
  fi
}

inline landFenceBlock(b) {
  if
  :: block[b].there -> block[b].epoch++; printf("%d: block %d is fenced, epoch %d\n", _pid, b, block[b].epoch); out = done
  :: else -> out = lost
  fi
}
inline fenceBlock(b) {
  if
  :: d_step { landFenceBlock(b) }
  :: faults > 0 -> onTheWire(fenceWrite, b, 0, 0, 0, 0, 0, 0)
  fi
}

inline landCreateBlock(b, host_) {
  if
  :: clause(block_absent, !block[b].there) ->
     block[b].there = true; block[b].host = host_; block[b].idle = false; block[b].old = false;
     block[b].tag[0] = 0; block[b].tag[SLOTS - 1] = 0;
     block[b].epoch++; revise(b);
     printf("%d: block %d is put for host %d\n", _pid, b, host_);
     out = done
  :: else -> out = lost
  fi
}
inline createBlock(b, host_) {
  if
  :: d_step { landCreateBlock(b, host_) }
  :: faults > 0 -> onTheWire(createBlockWrite, b, host_, 0, 0, 0, 0, 0)
  fi
}

inline landMarkIdle(b, seen_) {
  if
  :: block[b].there && clause(idle_rev, block[b].revision == seen_) ->
     noteIdle(b);
     block[b].tag[0] = 0; block[b].tag[SLOTS - 1] = 0;
     block[b].idle = true; revise(b);
     printf("%d: block %d is marked idle\n", _pid, b);
     out = done
  :: else -> out = lost
  fi
}
inline markIdle(b, seen_) {
  if
  :: d_step { landMarkIdle(b, seen_) }
  :: faults > 0 -> onTheWire(markIdleWrite, b, seen_, 0, 0, 0, 0, 0)
  fi
}

inline landDeleteBlock(b, seen_) {
  if
  :: block[b].there && clause(delete_rev, block[b].revision == seen_) ->
     noteDelete(b);
     printf("%d: block %d is deleted, its first slot under %d\n", _pid, b, block[b].tag[0]);
     block[b].there = false; block[b].host = 0; block[b].idle = false; block[b].old = false;
     block[b].tag[0] = 0; block[b].tag[SLOTS - 1] = 0;
     out = done
  :: else -> out = lost
  fi
}
inline deleteBlock(b, seen_) {
  if
  :: d_step { landDeleteBlock(b, seen_) }
  :: faults > 0 -> onTheWire(deleteBlockWrite, b, seen_, 0, 0, 0, 0, 0)
  fi
}

inline landChangeHost(b, seen_, host_) {
  if
  :: block[b].there && clause(take_over_rev, block[b].revision == seen_) ->
     noteSeize(b);
     printf("%d: block %d is taken over by host %d, its first slot under %d\n", _pid, b, host_, block[b].tag[0]);
     block[b].host = host_; block[b].idle = false; block[b].old = false; revise(b);
     if :: with(take_over_epoch) -> block[b].epoch++ :: else fi;
     out = done
  :: else -> out = lost
  fi
}
inline changeHost(b, seen_, host_) {
  if
  :: d_step { landChangeHost(b, seen_, host_) }
  :: faults > 0 -> onTheWire(changeHostWrite, b, seen_, host_, 0, 0, 0, 0)
  fi
}

/* ---- the allocation of a request: src/kernel/items/allocation.ts ---- */

#ifdef PARTS
mtype = { absent, live, open, aborted, released, kept };
typedef Allocation {
  mtype state = absent;
  byte revision;
  byte token[PARTS]; /* part k is in block k */
  byte ordinal;      /* the ordinal tried first in part 0: a hint, never the truth */
#ifdef INSTANCES
  byte uid;
  byte host;
  byte incarnation;
  bool replaced[UIDS + 1]; /* the uids that later ones replaced */
#endif
};
Allocation allocation;

inline putAllocation(state_, rev, t0, t1, ordinal_) {
  if
  :: state_ == absent -> printf("%d: the allocation of token %d is deleted\n", _pid, allocation.token[0])
  :: state_ == live -> printf("%d: the allocation is written, live, token %d\n", _pid, t0)
  :: state_ == open -> printf("%d: the allocation is written, open, tokens %d and %d\n", _pid, t0, t1)
  :: state_ == aborted -> printf("%d: the allocation of token %d is aborted\n", _pid, t0)
  :: state_ == released -> printf("%d: the allocation of token %d is released\n", _pid, t0)
#ifdef INSTANCES
  :: state_ == kept -> printf("%d: the allocation of token %d is kept\n", _pid, t0)
#endif
  fi;
#ifdef INSTANCES
  noteIncarnation(state_, rev);
#endif
  allocation.state = state_; allocation.revision = rev; allocation.ordinal = ordinal_;
  allocation.token[0] = t0;
  if :: PARTS > 1 -> allocation.token[PARTS - 1] = t1 :: else fi
}
inline goneAllocation() { putAllocation(absent, 0, 0, 0, 0) }

inline landCreateAllocation(state_, rev, t0, t1, ordinal_) {
  if
  :: clause(allocation_absent, allocation.state == absent) -> putAllocation(state_, rev, t0, t1, ordinal_); out = done
  :: else -> out = lost
  fi
}
inline createAllocation(state_, rev, t0, t1, ordinal_) {
  if
  :: d_step { landCreateAllocation(state_, rev, t0, t1, ordinal_) }
  :: REPEATS && faults > 0 -> faults--; d_step { landCreateAllocation(state_, rev, t0, t1, ordinal_) }; d_step { landCreateAllocation(state_, rev, t0, t1, ordinal_) }
  :: faults > 0 -> onTheWire(createAllocationWrite, state_, rev, t0, t1, ordinal_, 0, 0)
  fi
}

/* `act` names the clause: rule 5, exactly as it was seen. */
inline landChangeAllocation(act, seen_, state_, rev, t0, t1, ordinal_) {
  if
  :: clause(act, allocation.revision == seen_) -> putAllocation(state_, rev, t0, t1, ordinal_); out = done
  :: else -> out = lost
  fi
}
inline changeAllocation(act, seen_, state_, rev, t0, t1, ordinal_) {
  if
  :: d_step { landChangeAllocation(act, seen_, state_, rev, t0, t1, ordinal_) }
  :: faults > 0 -> onTheWire(changeAllocationWrite, act, seen_, state_, rev, t0, t1, ordinal_)
  fi
}

/* A delete is the last call of its walk: nobody waits for its outcome. */
inline landDeleteAllocation(act, seen_) {
  if
  :: allocation.state != absent && clause(act, allocation.revision == seen_) -> goneAllocation(); out = done
  :: else -> out = lost
  fi
}
inline deleteAllocation(act, seen_) {
  if
  :: d_step { landDeleteAllocation(act, seen_) }
  :: faults > 0 -> onTheWire(deleteAllocationWrite, act, seen_, 0, 0, 0, 0, 0)
  fi
}

#ifdef INSTANCES
#define isOf(incarnation_) clause(mark_incarnation, allocation.incarnation == incarnation_)
#else
#define isOf(incarnation_) true
#endif
inline landMarkGiven(t, rev, state_, incarnation_) {
  if
  :: clause(mark_live, allocation.state == state_) && allocation.state != absent && clause(mark_token, allocation.token[0] == t) && isOf(incarnation_) ->
     printf("%d: the allocation of token %d says: freed\n", _pid, t);
     allocation.state = released; allocation.revision = rev; out = done
  :: else -> out = lost
  fi
}
inline markGiven(t, rev, state_, incarnation_) {
  if
  :: d_step { landMarkGiven(t, rev, state_, incarnation_) }
  :: faults > 0 -> onTheWire(markGivenWrite, t, rev, state_, incarnation_, 0, 0, 0)
  fi
}

inline landDeleteAllocationOfToken(t) {
  if
  :: allocation.state != absent && clause(release_allocation_token, allocation.token[0] == t) ->
     goneAllocation(); out = done
  :: else -> out = lost
  fi
}
inline deleteAllocationOfToken(t) {
  if
  :: d_step { landDeleteAllocationOfToken(t) }
  :: faults > 0 -> onTheWire(deleteAllocationOfTokenWrite, t, 0, 0, 0, 0, 0, 0)
  fi
}

/* Fresh for ever: whose it is, and which of theirs. */
#define freshRevision(me, rev) rev = (rev == 0 -> me * 16 + 1 : rev + 1)
#endif
