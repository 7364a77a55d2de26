/*
 * The item of an application and the slots that are held for it, all in one block: src/nouns/application/item.ts, held/, applications/,
 * maintenance/repair/application.ts. The item lists a superset of what is held for the application or taken from it.
 */

#define HELD 64 /* beside the token of a slot that is held: that of whoever held it, or of the instance that gave it back */
#define ANOTHERS 56 /* tokens from here on are of another application */
/* Held for the application; taken. */
#define isHeld(k) (block[0].tag[k] >= HELD && block[0].tag[k] < HELD + ANOTHERS)
#define isInUse(k) (block[0].tag[k] > 0 && block[0].tag[k] < HELD)

mtype = { standing, deleting };
/* `own` is what the code calls `in`. */
mtype = { unlisted, named, own, leaving };
typedef Application {
  mtype state = absent;
  byte wanted;
  mtype listed[2] = unlisted;
  byte revision;
};
Application application;

/* Its addresses that are not about to go, of an item or of what was seen of one. */
#define members(listed_) ((listed_[0] == own || listed_[0] == named) + (listed_[1] == own || listed_[1] == named))
#define lists(listed_, state_) (listed_[0] == state_ || listed_[1] == state_)
#define isEmptyList(listed_) (listed_[0] == unlisted && listed_[1] == unlisted)

mtype = { createApplicationWrite, changeApplicationWrite, deleteApplicationWrite, letGoWrite };
#define LANDINGS \
  :: wire.write == createApplicationWrite -> landCreateApplication(wire.x1, wire.x2, wire.x3, wire.x4) \
  :: wire.write == changeApplicationWrite -> landChangeApplication(wire.x1, wire.x2, wire.x3, wire.x4, wire.x5, wire.x6, wire.x7) \
  :: wire.write == deleteApplicationWrite -> landDeleteApplication(wire.x1, wire.x2) \
  :: wire.write == letGoWrite -> landLetGo(wire.x1, wire.x2)

inline putApplication(state_, wanted_, l0, l1, rev) {
  application.state = state_; application.wanted = wanted_; application.revision = rev;
  application.listed[0] = l0; application.listed[1] = l1;
  if
  :: state_ == absent -> printf("%d: the application is deleted\n", _pid)
  :: state_ == standing -> printf("%d: the application wants %d; its addresses are %d and %d\n", _pid, wanted_, l0, l1)
  :: state_ == deleting -> printf("%d: the application is about to go; its addresses are %d and %d\n", _pid, l0, l1)
  fi
}

inline landCreateApplication(wanted_, l0, l1, rev) {
  if
  :: clause(application_absent, application.state == absent) -> putApplication(standing, wanted_, l0, l1, rev); out = done
  :: else -> out = lost
  fi
}
inline createApplication(wanted_, l0, l1, rev) {
  if
  :: d_step { landCreateApplication(wanted_, l0, l1, rev) }
  :: faults > 0 -> onTheWire(createApplicationWrite, wanted_, l0, l1, rev, 0, 0, 0)
  fi
}

inline landChangeApplication(act, seen_, state_, wanted_, l0, l1, rev) {
  if
  :: clause(act, application.revision == seen_) -> putApplication(state_, wanted_, l0, l1, rev); out = done
  :: else -> out = lost
  fi
}
inline changeApplication(act, seen_, state_, wanted_, l0, l1, rev) {
  if
  :: d_step { landChangeApplication(act, seen_, state_, wanted_, l0, l1, rev) }
  :: faults > 0 -> onTheWire(changeApplicationWrite, act, seen_, state_, wanted_, l0, l1, rev)
  fi
}

inline landDeleteApplication(act, seen_) {
  if
  :: application.state != absent && clause(act, application.revision == seen_) ->
     putApplication(absent, 0, unlisted, unlisted, 0); out = done
  :: else -> out = lost
  fi
}
inline deleteApplication(act, seen_) {
  if
  :: d_step { landDeleteApplication(act, seen_) }
  :: faults > 0 -> onTheWire(deleteApplicationWrite, act, seen_, 0, 0, 0, 0, 0)
  fi
}

/* Both slots, or those of them that are not 0, by exactly the entries seen. They cool, are swept, and then are as if never used. */
inline landLetGo(t0, t1) {
  if
  :: clause(let_go_tag, (t0 == 0 || block[0].tag[0] == t0) && (t1 == 0 || block[0].tag[SLOTS - 1] == t1)) ->
     block[0].tag[0] = (t0 -> 0 : block[0].tag[0]); block[0].tag[SLOTS - 1] = (t1 -> 0 : block[0].tag[SLOTS - 1]);
     block[0].epoch = block[0].epoch + with(let_go_epoch);
     printf("%d: held slots are let go: %d and %d\n", _pid, t0, t1);
     out = done
  :: else -> out = lost
  fi
}
inline letGoSlots(t0, t1) {
  if
  :: d_step { landLetGo(t0, t1) }
  :: faults > 0 -> onTheWire(letGoWrite, t0, t1, 0, 0, 0, 0, 0)
  fi
}

/* ---- what a process has seen ---- */

/* Of the item, `appState` to `listed`; and of the block, the held entries that go, and what the addresses then are. */
#define SEEN \
  mtype appState; mtype listed[2]; mtype next[2]; byte wanted, appSeen, goes[2], before[2], appRev; \
  bool isStale, isFenced, drops, isChanged, isKnown

inline readApplication() {
  appState = application.state; wanted = application.wanted; appSeen = application.revision;
  listed[0] = application.listed[0]; listed[1] = application.listed[1]
}
/* A process that is done forgets what it has seen, so that fewer states differ. */
inline forget() {
  appState = absent; wanted = 0; appSeen = 0; listed[0] = 0; listed[1] = 0; next[0] = 0; next[1] = 0; goes[0] = 0; goes[1] = 0;
  before[0] = 0; before[1] = 0; isStale = false; isFenced = false; drops = false; isChanged = false; isKnown = false
}

/* ---- held/settle.ts ---- */

inline lookAt(k) {
  goes[k] = 0; next[k] = listed[k];
  if
  :: listed[k] == leaving && isHeld(k) -> goes[k] = block[0].tag[k]
  :: listed[k] == named && isHeld(k) -> next[k] = own
  :: (listed[k] == named && !isHeld(k)) || (listed[k] == leaving && !isHeld(k) && !isInUse(k)) -> next[k] = unlisted; drops = true
  :: else
  fi
}
inline lookAtHeld() {
  d_step {
    drops = false;
    lookAt(0);
    if
    :: SLOTS > 1 -> lookAt(SLOTS - 1)
    :: else -> next[1] = listed[1]
    fi
  }
}

/* Held, and about to go, but not when the block was seen before the item. */
#define isHeldSince ((goes[0] != 0 && goes[0] != before[0]) || (goes[1] != 0 && goes[1] != before[1]))

/*
 * Slots first, and then one write of the item, as it was seen. `isKnown` says that the block was seen with the last write. What goes is
 * held in an entry that was seen before the item was read again, unchanged.
 */
inline settle(me) {
  do
  :: appState == absent -> break
  :: else ->
     atomic {
       if
       :: isKnown -> isKnown = false
       :: else -> lookAtHeld()
       fi;
       before[0] = goes[0]; before[1] = goes[1]; isFenced = false; isStale = false
     };
     if
     :: with(settle_look) && goes[0] + goes[1] > 0 -> isStale = (application.revision != appSeen)
     :: else
     fi;
     do
     :: isStale || (with(settle_look) && isHeldSince) -> out = lost; break
     :: !isStale && !(with(settle_look) && isHeldSince) && goes[0] + goes[1] > 0 ->
        atomic {
          letGoSlots(goes[0], goes[1]);
          if
          :: out != unknown -> isFenced = (isFenced || out == done); lookAtHeld()
          :: else
          fi
        };
        if
        :: out == unknown -> lookAtHeld()
        :: else
        fi
     :: !isStale && goes[0] + goes[1] == 0 && drops && !isFenced ->
        atomic {
          if
          :: with(settle_fence) -> fenceBlock(0)
          :: else -> out = done
          fi;
          if
          :: out != unknown -> isFenced = true; lookAtHeld()
          :: else
          fi
        }
     :: !isStale && goes[0] + goes[1] == 0 && !(drops && !isFenced) -> out = done; break
     od;
     atomic {
       if
       :: out == done && (next[0] != listed[0] || next[1] != listed[1]) ->
          freshRevision(me, appRev);
          changeApplication(settle_rev, appSeen, appState, wanted, next[0], next[1], appRev);
          if
          :: out == done -> listed[0] = next[0]; listed[1] = next[1]; appSeen = appRev
          :: else
          fi
       :: else
       fi
     };
     if
     :: out == done && appState == deleting && isEmptyList(listed) ->
        atomic {
          deleteApplication(delete_application_rev, appSeen);
          if
          :: out == done -> appState = absent
          :: else
          fi
        }
     :: else
     fi;
     if
     :: out == done -> break
     :: else -> atomic { readApplication() }
     fi
  od
}

/* ---- held/free-surplus.ts, and held/leave.ts ---- */

/* What is beyond the number leaves, the highest first, if no instance has it. */
inline markIfSurplus(k) {
  if
  :: members(listed) > wanted && listed[k] == own && !isInUse(k) -> listed[k] = leaving; isChanged = true
  :: else
  fi
}
inline markSurplus() {
  d_step { markIfSurplus(SLOTS - 1); markIfSurplus(0) }
}

inline leaveFirst(me) {
  isChanged = false;
  freshRevision(me, appRev);
  changeApplication(leave_rev, appSeen, appState, wanted, listed[0], listed[1], appRev);
  if
  :: out == done -> appSeen = appRev
  :: else
  fi
}

/* It ends with `out` not `done` if the item has changed since it was seen. */
inline leave(me) {
  if
  :: isChanged -> atomic { leaveFirst(me) }
  :: else -> out = done
  fi;
  if
  :: out == done -> settle(me); out = done
  :: else
  fi
}

/* ---- held/settle-freed.ts: the item is read after the slots were freed ---- */

inline settleFreed(me) {
  do
  :: atomic { readApplication() };
     if
     :: with(free_look) && members(listed) > wanted -> markSurplus()
     :: else
     fi;
     if
     :: with(free_look) && lists(listed, leaving) ->
        leave(me);
        if
        :: out == done -> break
        :: else
        fi
     :: else -> break
     fi
  od;
  atomic { forget() }
}

/* ---- applications/put-application.ts, hold-addresses.ts ---- */

inline hold(t) {
  atomic {
    takeSlots(0, n, HELD + t, learned, was);
    if
    :: out != unknown -> lookAtHeld(); isKnown = with(name_first)
    :: else
    fi
  }
}

/* What follows a settlement: the request begins again, looks at the slots once more, or is over. */
mtype = { again, lookOnce, finished };

/* It begins again while somebody else changes the item. An unknown outcome is the end of the request. */
inline put(me, number) {
  skip;
putAgain:
  atomic {
    readApplication(); n = NONE; goal = again;
    if
    :: lists(listed, named) -> goto settling
    :: else
    fi;
    appState = standing; isChanged = (wanted != number || application.state != standing); wanted = number
  };
  if
  :: members(listed) > number -> markSurplus()
  :: members(listed) < number ->
     /* A free address, and its block. */
     atomic {
       if
       :: listed[0] == unlisted && isFree(0, 0) -> n = 0
       :: SLOTS > 1 && listed[1] == unlisted && isFree(0, SLOTS - 1) -> n = SLOTS - 1
       :: else
       fi;
       if
       :: n != NONE -> learned = block[0].epoch; was = block[0].tag[n]; isChanged = true
       :: else
       fi
     }
  :: else
  fi;
  if
  :: !isChanged && !lists(listed, leaving) -> goto settled
  :: else -> isChanged = false
  fi;
  if
  :: !with(name_first) && n != NONE -> hold(me * 8)
  :: else
  fi;
  atomic {
    if
    :: n != NONE -> listed[n] = named
    :: else
    fi;
    freshRevision(me, appRev);
    if
    :: appSeen == 0 -> createApplication(wanted, listed[0], listed[1], appRev)
    :: else -> changeApplication(change_application_rev, appSeen, standing, wanted, listed[0], listed[1], appRev)
    fi;
    appSeen = appRev; goal = lookOnce;
    if
    :: out == lost -> goto putAgain
    :: out == unknown -> goto settled
    :: out == done
    fi
  };
  if
  :: with(name_first) && n != NONE -> hold(me * 8)
  :: else
  fi;
settling:
  settle(me);
  if
  :: goal == again -> goto putAgain
  :: else
  fi;
  /* What an instance gave back before the item said that it is too much. */
  if
  :: with(put_look) && goal == lookOnce && appState != absent && members(listed) > wanted -> atomic { markSurplus(); goal = finished }
  :: else
  fi;
  if
  :: isChanged ->
     atomic {
       leaveFirst(me);
       if
       :: out == done -> goto settling
       :: else
       fi
     }
  :: else
  fi;
settled:
  atomic { forget(); n = 0; learned = 0; was = 0; goal = 0 }
}

/* ---- applications/delete-application.ts ---- */

inline endApplication(me) {
  do
  :: atomic {
       readApplication();
       if
       :: appState == absent -> break
       :: else
       fi
     };
     atomic {
       listed[0] = (listed[0] == unlisted -> unlisted : leaving); listed[1] = (listed[1] == unlisted -> unlisted : leaving);
       appState = deleting; wanted = 0;
       freshRevision(me, appRev);
       changeApplication(end_application_rev, appSeen, deleting, 0, listed[0], listed[1], appRev);
       appSeen = appRev; goal = finished;
       if
       :: out == done -> goto settling
       :: out == unknown -> break
       :: out == lost
       fi
     }
  od;
  goto settled
}

/* ---- maintenance/repair/application.ts ---- */

/* Neither held nor its own. */
inline markIfLost(k) {
  if
  :: listed[k] == own && !isHeld(k) && !isInUse(k) -> listed[k] = leaving; isChanged = true
  :: else
  fi
}
inline repairApplication(me) {
  atomic { readApplication() };
  if
  :: appState == absent
  :: else ->
     if
     :: members(listed) > wanted -> markSurplus()
     :: else
     fi;
     d_step { markIfLost(0); markIfLost(SLOTS - 1) };
     leave(me)
  fi;
  atomic { forget() }
}

/* ---- what must hold ---- */

#define isKept(k) (isHeld(k) || isInUse(k))
/* An address that is held or taken is listed. */
#define isListed(k) (!isKept(k) || application.listed[k] != unlisted)
/* Of those that the application calls its own, each is held for it, or one instance of it has it. */
#define isOwnKept(k) (application.listed[k] != own || isKept(k))
/* When nothing is in flight: nothing free is too much, and only what an instance has is about to go. */
#define isAtRest(k) ((application.listed[k] == unlisted && !isHeld(k)) || \
  (application.listed[k] == own && (isInUse(k) || members(application.listed) <= application.wanted)) || \
  (application.listed[k] == leaving && isInUse(k)))
#define areAtRest (isAtRest(0) && isAtRest(SLOTS - 1) && !(application.state == deleting && isEmptyList(application.listed)))
