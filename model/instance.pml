/*
 * The allocation of an instance, which outlives its uids: settle-instance.ts, return-instance.ts, keep-instance.ts, close-instance.ts. From its
 * first assign to its last release it alone says who has the addresses.
 */

mtype = { keepAllocationWrite };
#define LANDINGS :: wire.write == keepAllocationWrite -> landKeepAllocation(wire.x1, wire.x2)

/* What a write of the allocation says of the instance: each one after which somebody is answered makes a new incarnation. */
inline noteIncarnation(state_, rev) {
  if
  :: state_ == live ->
     if
     :: allocation.uid != 0 && allocation.uid != uidOf(rev) -> allocation.replaced[allocation.uid] = true
     :: else
     fi;
     if
     :: with(return_incarnation) || allocation.uid == 0 -> allocation.incarnation = rev
     :: else
     fi;
     allocation.uid = uidOf(rev); allocation.host = hostOf(rev)
  :: state_ == kept -> allocation.host = hostOf(rev)
  :: state_ == absent -> allocation.uid = 0; allocation.host = 0; allocation.incarnation = 0; allocation.replaced[1] = false; allocation.replaced[2] = false
  :: else
  fi
}

inline landKeepAllocation(incarnation_, rev) {
  if
  :: allocation.state != absent && clause(keep_live, allocation.state == live) && clause(keep_incarnation, allocation.incarnation == incarnation_) ->
     printf("%d: the allocation of token %d is kept\n", _pid, allocation.token[0]);
     allocation.state = kept; allocation.revision = rev; out = done
  :: else -> out = lost
  fi
}
inline keepAllocation(incarnation_, rev) {
  if
  :: d_step { landKeepAllocation(incarnation_, rev) }
  :: faults > 0 -> onTheWire(keepAllocationWrite, incarnation_, rev, 0, 0, 0, 0, 0)
  fi
}

/* keep-instance.ts */
inline keep(incarnation_) {
  do
  :: atomic {
       freshRevision(ENDER, rev);
       keepAllocation(incarnation_, rev);
       if
       :: out == unknown
       :: else -> break
       fi
     }
  od
}

/*
 * A change of the allocation of an instance as it was seen. It goes to the label `changed` when somebody has changed it since; one that
 * is unknown is looked at.
 */
inline change(me, act, state_) {
  atomic {
    freshRevision(me, rev);
    changeAllocation(act, other, state_, rev, otherToken, 0, 0);
    if
    :: out == done -> other = rev; otherState = state_
    :: out == lost -> goto changed
    :: out == unknown
    fi
  };
  if
  :: out == unknown ->
     atomic {
       if
       :: allocation.revision == rev -> other = rev; otherState = state_
       :: else -> goto changed
       fi
     }
  :: else
  fi
}

/* close-allocation.ts, endAsSeen: an author that was answered needs no fence. */
inline endAsSeen(me, isAnswered) {
  if
  :: otherState != released -> change(me, instance_end_rev, released)
  :: else
  fi;
  if
  :: isAnswered -> freeSlot(0, otherToken, 0, COOLING)
  :: else -> finish(instance_fence, otherToken, 0, COOLING)
  fi
}

/* What somebody has seen of the allocation. */
#define see() other = allocation.revision; otherToken = allocation.token[0]; otherState = allocation.state

/*
 * settle-instance.ts: the same answer for the same incarnation on the same host; nothing for a uid that was replaced; for a kind that keeps its
 * addresses, and if they fit, a return; else the allocation is closed, and the request begins again under new tokens.
 */
inline settleInstance(me) {
  skip;
settle:
  atomic {
    if
    :: allocation.state == absent -> seen = 0; goto learn
    :: else
    fi;
    see();
    otherIncarnation = allocation.incarnation;
    isMoved = (allocation.host != hostOf(me * 16));
    isSame = (allocation.uid == uidOf(me * 16) && allocation.state == live && !isMoved);
    isReplaced = allocation.replaced[uidOf(me * 16)];
    if
    :: with(replaced_uid) && isReplaced -> goto refused /* already_released */
    :: else
    fi;
    whole = false
  };
  if
  :: otherState != released -> atomic { whole = clause(return_whole, heldAt(0, otherToken) != NONE) }
  :: else
  fi;
  if
  :: whole && isSame ->
     atomic {
       if
       :: allocation.revision == other -> token = otherToken; mine = otherIncarnation; ANSWER(me, 0, token); goto answered
       :: else -> goto lookAgain
       fi
     }
  :: whole && !isSame ->
     atomic { REPLACE(me, otherIncarnation) };
     /* Onto another host: the allocation names that first. */
     if
     :: isMoved -> change(me, instance_return_rev, kept)
     :: else
     fi;
     change(me, instance_return_rev, live);
     atomic { token = otherToken; mine = other; ANSWER(me, 0, token); goto answered }
  :: !isSame || !whole ->
     atomic { REPLACE(me, otherIncarnation) };
     endAsSeen(me, whole);
     atomic { seen = other; goto learn }
  fi;
changed:
lookAgain:
  atomic {
    if
    :: looks == LOOKS -> goto refused
    :: else -> looks++; goto settle
    fi
  };
}
