/*
 * A request for two addresses, one in each of two blocks: assign.ts, execution.ts, replay.ts. Several writes serve it, so it has
 * a pending allocation: its allocation is `open` and names both parts before a block is touched, then `live`, and only then there is an answer.
 */

#define ROUNDS 1 /* ASSIGN_ROUNDS_MAX is 16: what a round leaves is what a request that is cut short leaves */
/* What somebody has seen of the allocation. */
#define copyAllocation() other = allocation.revision; others[0] = allocation.token[0]; others[1] = allocation.token[1]; otherState = allocation.state

/* Learns the block of a part that is not held, and chooses the token: a new one (rule 4), unless it is held already. */
#define learnPart(me, k) \
  learned[k] = block[k].epoch; \
  was[k] = block[k].tag[0]; \
  token[k] = (held[k] != 0 -> held[k] : (!with(new_tokens) && others[k] != 0 -> others[k] : me * 8 + round * 2 + k))

/* take-slots.ts: part k. A block has one slot, so who is not first finds it full. */
inline takePart() {
  atomic {
    takeSlots(k, 0, token[k], learned[k], was[k]);
    if
    :: out == done || (out == lost && with(own_token_first) && heldAt(k, token[k]) != NONE) -> held[k] = token[k]
    :: else
    fi
  };
  if
  :: out == unknown ->
     atomic { found = heldAt(k, token[k]) };
     if
     :: found == NONE -> fence(unknown_fence, k, token[k])
     :: else
     fi;
     if
     :: found != NONE -> held[k] = token[k]
     :: else
     fi
  :: else
  fi
}

/*
 * close-allocation.ts, endAsSeen: mark the allocation, exactly as it was seen, then finish it. It goes to the label `changed` when somebody has
 * changed it since.
 */
inline endAsSeen(me, act, fenceAct) {
  if
  :: otherState == open && !with(abort_mark) -> otherState = aborted
  :: otherState == live || (otherState == open && with(abort_mark)) ->
     atomic {
       freshRevision(me, rev);
       if :: otherState == open -> endState = aborted :: else -> endState = released fi;
       changeAllocation(act, other, endState, rev, others[0], others[1], 0);
       if
       :: out == done -> other = rev; otherState = endState
       :: out == lost -> goto changed
       :: out == unknown
       fi
     };
     if
     :: out == unknown ->
        atomic {
          if
          :: allocation.revision == rev -> other = rev; otherState = endState
          :: else -> goto changed
          fi
        }
     :: else
     fi
  :: else
  fi;
  /* freeRestOfPart: frees what is visibly held, and shuts out the author where nothing is visible. */
  k = 0; cools = (otherState == released -> COOLING : 0);
  do
  :: k == 2 -> k = 0; break
  :: else ->
     freeSlot(k, others[k], 0, cools);
     if
     :: !freed ->
        fence(fenceAct, k, others[k]);
        if
        :: found != NONE -> freeSlot(k, others[k], found, cools)
        :: else
        fi
     :: else
     fi;
     k++
  od
}

/* Looks at the parts one by one: `found` is NONE if one of them is not held. */
inline lookAtBoth() {
  k = 0;
  do
  :: atomic { found = heldAt(k, others[k]); k++; if :: k == 2 || found == NONE -> k = 0; break :: else fi }
  od
}

/* Fences the parts one by one: `found` is not NONE if one of them is held. */
inline fenceBoth(act) {
  k = 0;
  do
  :: fence(act, k, others[k]); k++;
     if :: k == 2 || found != NONE -> k = 0; break :: else fi
  od
}

inline assignTwo(me) {
  /* A cold function reads the allocation under its key first. */
  atomic {
    if
    :: allocation.state != absent -> copyAllocation(); goto replay
    :: else
    fi
  };
learn:
  /* Both are held: conclude. Else the blocks of what is missing are learned, and with them go new tokens. */
  atomic {
    if
    :: held[0] != 0 && held[1] != 0 -> goto conclude
    :: else
    fi;
    if
    :: round == ROUNDS -> goto withdraw
    :: else -> round++
    fi;
    if
    :: (held[0] == 0 && !isFree(0, 0)) || (held[1] == 0 && !isFree(1, 0)) -> goto withdraw
    :: else
    fi;
    learnPart(me, 0);
    learnPart(me, 1)
  };

  /* write-allocation.ts: rule 2, allocation after epoch. */
  atomic {
    freshRevision(me, rev);
    begun = true;
    if
    :: seen == 0 -> createAllocation(open, rev, token[0], token[1], 0)
    :: else -> changeAllocation(allocation_rev, seen, open, rev, token[0], token[1], 0)
    fi;
    if
    :: out == unknown -> goto lookAtAllocation
    :: else
    fi;
    if
    :: out == done || allocation.revision == rev -> mine = rev; seen = rev; goto takeBoth
    :: else -> goto stampLost
    fi
  };
lookAtAllocation:
  atomic {
    if
    :: allocation.revision == rev -> mine = rev; seen = rev
    :: allocation.revision != rev && allocation.revision == seen -> goto refused
    :: else -> goto stampLost
    fi
  };
  goto takeBoth;
stampLost:
  /* Somebody decided the allocation that we wrote, and frees what we held: nothing of it is ours any more. */
  atomic {
    if
    :: allocation.state == absent -> goto withdraw
    :: else -> mine = 0; held[0] = 0; held[1] = 0; looks = 0; copyAllocation(); goto replay
    fi
  };

takeBoth:
  k = 0;
  do
  :: k == 2 -> k = 0; break
  :: k < 2 && held[k] != 0 -> k++
  :: k < 2 && held[k] == 0 -> takePart(); k++
  od;
  goto learn;

  /* Rule 7, the pending allocation decides: it becomes live as it was left, or nobody is answered. */
conclude:
  atomic {
    if
    :: with(pending_live) ->
       freshRevision(me, rev);
       changeAllocation(pending_live_rev, mine, live, rev, held[0], held[1], 0);
       if
       :: out == done -> ANSWER(held[0], held[1]); goto answered
       :: out == lost -> goto withdraw
       :: out == unknown
       fi
    :: else -> ANSWER(held[0], held[1]); goto answered
    fi
  };
  atomic {
    if
    :: allocation.revision == rev -> ANSWER(held[0], held[1]); goto answered
    :: allocation.revision == mine -> goto refused /* it may land yet: whoever comes next under the key finds out */
    :: else -> goto withdraw
    fi
  };

  /* execution.ts, withdraw: the pending allocation is aborted, and only then is anything freed. */
withdraw:
  if
  :: mine == 0 -> goto refused
  :: mine != 0 && held[0] == 0 && held[1] == 0 -> atomic { deleteAllocation(withdraw_rev, mine); goto refused }
  :: else
  fi;
  if
  :: with(abort_first) ->
     atomic {
       freshRevision(me, rev);
       changeAllocation(abort_rev, mine, aborted, rev, token[0], token[1], 0);
       if
       :: out == done -> mine = rev
       :: else -> goto refused /* whoever decided it frees, or the repair run does */
       fi
     }
  :: else
  fi;
  k = 0;
  do
  :: k == 2 -> break
  :: k < 2 && held[k] == 0 -> k++
  :: k < 2 && held[k] != 0 -> freeSlot(k, held[k], 0, 0); k++
  od;
  atomic { deleteAllocation(withdraw_rev, mine); goto refused };

  /* replay.ts: what an earlier execution has come to. */
replay:
  if
  :: otherState == released -> goto refused
  :: otherState == live ->
     lookAtBoth();
     if
     :: found != NONE ->
        atomic {
          if
          :: clause(replay_reread, allocation.revision == other) -> ANSWER(others[0], others[1]); goto answered
          :: else -> goto changed
          fi
        }
     :: else
     fi;
     fenceBoth(replay_fence);
     atomic {
       if
       :: found == NONE -> seen = other; goto learn
       :: else -> goto changed
       fi
     }
  :: otherState == open || otherState == aborted ->
     endAsSeen(me, replay_abort_rev, replay_abort_fence);
     seen = other;
     goto learn
  fi;
changed:
  atomic {
    if
    :: allocation.state == absent -> seen = 0; goto learn
    :: allocation.state != absent && looks == 1 -> goto refused
    :: else -> looks++; copyAllocation(); goto replay
    fi
  }
}
