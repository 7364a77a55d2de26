/* release-address.ts, close-allocation.ts, repair.ts: how a request for one address comes to its end. */

#define ENDER 15 /* whoever releases */
/* What a released slot becomes. */
#ifndef GIVEN_BACK
#define GIVEN_BACK COOLING
#endif

/* release-address.ts, releaseNamed, without a key: the slot first, then the allocation, unread, if it is still the token's. */
inline releaseAddress(t, n_) {
  freeSlot(0, t, n_, COOLING);
  atomic {
    if
    :: freed && found == NONE -> deleteAllocationOfToken(t)
    :: else
    fi
  }
}

/*
 * The same with a key: the allocation says "freed" before the slot is free, and stays, so that a late duplicate is told so
 * rather than given an address that nobody frees.
 */
inline releaseKeyedAddress(t, n_) {
  if
  :: with(mark_first) ->
     do
     :: atomic {
          freshRevision(ENDER, rev);
          markGiven(t, rev, live, 0);
          if
          :: out == unknown
          :: out != unknown && allocation.state != absent && allocation.token[0] == t -> break
          :: else -> goto stop
          fi
        }
     od
  :: else
  fi;
  freeSlot(0, t, n_, COOLING);
  if
  :: !with(mark_first) -> atomic { freshRevision(ENDER, rev); markGiven(t, rev, live, 0) }
  :: else
  fi
}

/* close-allocation.ts, freeRestOfPart: frees what is visibly held, and shuts out the author where nothing is visible. */
inline finish(act, t, hint, cools) {
  freeSlot(0, t, hint, cools);
  if
  :: !freed && block[0].there ->
     fence(act, 0, t);
     if
     :: found != NONE -> freeSlot(0, t, found, cools)
     :: else
     fi
  :: else
  fi
}

/* close-allocation.ts, endAllocation, of a live allocation without a key: the short way where it is held in full, else mark, finish, delete. */
inline releaseHandle() {
  skip;
endAwaiting:
  atomic {
    allocation.state != absent -> seen = allocation.revision; token = allocation.token[0]; hint = allocation.ordinal
  };
#ifndef KEYED
  freeSlot(0, token, hint, COOLING);
#endif
  if
#ifndef KEYED
  :: freed && found == NONE -> atomic { deleteAllocation(end_whole_rev, seen) }
#endif
  :: else ->
     tries = 0;
     do
     :: allocation.state == released -> break
     :: else -> atomic {
          freshRevision(ENDER, rev);
          changeAllocation(end_rev, seen, released, rev, token, 0, hint);
          if
          :: out == done -> seen = rev; break
          :: out == lost ->
             if
             :: allocation.state == absent || tries == 1 -> goto stop
             :: else -> tries++; seen = allocation.revision; token = allocation.token[0]; hint = allocation.ordinal
             fi
          :: out == unknown
          fi
        };
        if
        :: out == unknown ->
           atomic {
             if
             :: allocation.revision == rev -> seen = rev; break
             :: allocation.revision != rev && (allocation.state == absent || tries == 1) -> goto stop
             :: else -> tries++; seen = allocation.revision; token = allocation.token[0]; hint = allocation.ordinal
             fi
           }
        :: else
        fi
     od;
     finish(handle_fence, token, hint, COOLING);
#ifndef KEYED
     atomic { deleteAllocation(end_delete_rev, seen) }
#endif
  fi
}

/* repair.ts, repairAllocation: what is released is finished; what is live and holds nothing is fenced, looked at, deleted as seen. */
inline repairAllocation() {
  skip;
endAwaiting:
  atomic {
    allocation.state != absent ->
    seen = allocation.revision; token = allocation.token[0]; hint = allocation.ordinal; over = (allocation.state == released || allocation.state == aborted)
  };
  if
  :: over ->
     finish(repair_release_fence, token, hint, GIVEN_BACK);
#ifdef HELD
     settleFreed(REPAIR);
#endif
#ifndef KEYED
     atomic { deleteAllocation(repair_released_rev, seen) }
#else
     skip /* it is kept for 24 hours, longer than any duplicate comes late */
#endif
  :: else ->
     atomic { found = heldAt(0, token) };
     if
     :: found == NONE ->
        fence(repair_fence, 0, token);
        atomic {
          if
          :: found == NONE -> deleteAllocation(repair_rev, seen)
          :: else
          fi
        }
     :: else
     fi
  fi
}
