/* Affinity rows, and the pool map: src/store/affinity.ts, pool-map.ts. There is one block, so a row need not say whose it is. */

mtype = { none, pending, confirmed, pendingDeletion };
mtype = { createRowWrite, changeRowWrite, deleteRowWrite, addCellWrite };
typedef Row { mtype state = none; byte revision };
Row row[HOSTS * PLACES];
#define at(h, k) row[(h - 1) * PLACES + k]
#define hasRow(h) (at(h, 0).state != none || at(h, 1).state != none || at(h, 2).state != none)
#define lowestFree(h) (at(h, 0).state == none -> 0 : (at(h, 1).state == none -> 1 : 2))

#define LANDINGS \
  :: wire.write == createRowWrite -> landCreateRow(wire.x1, wire.x2, wire.x3) \
  :: wire.write == changeRowWrite -> landChangeRow(wire.x1, wire.x2, wire.x3, wire.x4, wire.x5) \
  :: wire.write == deleteRowWrite -> landDeleteRow(wire.x1, wire.x2, wire.x3, wire.x4) \
  :: wire.write == addCellWrite -> landAddCell()

inline landCreateRow(h, k, state_) {
  if
  :: clause(place_absent, at(h, k).state == none) -> at(h, k).state = state_; at(h, k).revision++; printf("%d: row %d of host %d is written\n", _pid, k, h); out = done
  :: else -> out = lost
  fi
}
inline createRow(h, k, state_) {
  if
  :: d_step { landCreateRow(h, k, state_) }
  :: faults > 0 -> onTheWire(createRowWrite, h, k, state_, 0, 0, 0, 0)
  fi
}
inline landChangeRow(act, h, k, seen_, state_) {
  if
  :: clause(act, at(h, k).revision == seen_ && at(h, k).state != none) -> at(h, k).state = state_; at(h, k).revision++; printf("%d: row %d of host %d is written\n", _pid, k, h); out = done
  :: else -> out = lost
  fi
}
inline changeRow(act, h, k, seen_, state_) {
  if
  :: d_step { landChangeRow(act, h, k, seen_, state_) }
  :: faults > 0 -> onTheWire(changeRowWrite, act, h, k, seen_, state_, 0, 0)
  fi
}
inline landDeleteRow(act, h, k, seen_) {
  if
  :: at(h, k).state != none && clause(act, at(h, k).revision == seen_) -> at(h, k).state = none; at(h, k).revision++; printf("%d: row %d of host %d is deleted\n", _pid, k, h); out = done
  :: else -> out = lost
  fi
}
inline deleteRow(act, h, k, seen_) {
  if
  :: d_step { landDeleteRow(act, h, k, seen_) }
  :: faults > 0 -> onTheWire(deleteRowWrite, act, h, k, seen_, 0, 0, 0)
  fi
}
inline landAddCell() { inMap = true; out = done }
inline addCell() {
  if
  :: d_step { landAddCell() }
  :: faults > 0 -> onTheWire(addCellWrite, 0, 0, 0, 0, 0, 0, 0)
  fi
}
