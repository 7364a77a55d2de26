/* Affinities, and the block-group index: src/kernel/items/affinity.ts, block-group-index.ts. There is one block, so a affinity need not say whose it is. */

mtype = { none, pending, confirmed, pendingDeletion };
mtype = { createAffinityWrite, changeAffinityWrite, deleteAffinityWrite, addGroupWrite };
typedef Affinity { mtype state = none; byte revision };
Affinity affinity[HOSTS * PLACES];
#define at(h, k) affinity[(h - 1) * PLACES + k]
#define hasAffinity(h) (at(h, 0).state != none || at(h, 1).state != none || at(h, 2).state != none)
#define lowestFree(h) (at(h, 0).state == none -> 0 : (at(h, 1).state == none -> 1 : 2))

#define LANDINGS \
  :: wire.write == createAffinityWrite -> landCreateAffinity(wire.x1, wire.x2, wire.x3) \
  :: wire.write == changeAffinityWrite -> landChangeAffinity(wire.x1, wire.x2, wire.x3, wire.x4, wire.x5) \
  :: wire.write == deleteAffinityWrite -> landDeleteAffinity(wire.x1, wire.x2, wire.x3, wire.x4) \
  :: wire.write == addGroupWrite -> landAddGroup()

inline landCreateAffinity(h, k, state_) {
  if
  :: clause(place_absent, at(h, k).state == none) -> at(h, k).state = state_; at(h, k).revision++; printf("%d: affinity %d of host %d is written\n", _pid, k, h); out = done
  :: else -> out = lost
  fi
}
inline createAffinity(h, k, state_) {
  if
  :: d_step { landCreateAffinity(h, k, state_) }
  :: faults > 0 -> onTheWire(createAffinityWrite, h, k, state_, 0, 0, 0, 0)
  fi
}
inline landChangeAffinity(act, h, k, seen_, state_) {
  if
  :: clause(act, at(h, k).revision == seen_ && at(h, k).state != none) -> at(h, k).state = state_; at(h, k).revision++; printf("%d: affinity %d of host %d is written\n", _pid, k, h); out = done
  :: else -> out = lost
  fi
}
inline changeAffinity(act, h, k, seen_, state_) {
  if
  :: d_step { landChangeAffinity(act, h, k, seen_, state_) }
  :: faults > 0 -> onTheWire(changeAffinityWrite, act, h, k, seen_, state_, 0, 0)
  fi
}
inline landDeleteAffinity(act, h, k, seen_) {
  if
  :: at(h, k).state != none && clause(act, at(h, k).revision == seen_) -> at(h, k).state = none; at(h, k).revision++; printf("%d: affinity %d of host %d is deleted\n", _pid, k, h); out = done
  :: else -> out = lost
  fi
}
inline deleteAffinity(act, h, k, seen_) {
  if
  :: d_step { landDeleteAffinity(act, h, k, seen_) }
  :: faults > 0 -> onTheWire(deleteAffinityWrite, act, h, k, seen_, 0, 0, 0)
  fi
}
inline landAddGroup() { inIndex = true; out = done }
inline addGroup() {
  if
  :: d_step { landAddGroup() }
  :: faults > 0 -> onTheWire(addGroupWrite, 0, 0, 0, 0, 0, 0, 0)
  fi
}
