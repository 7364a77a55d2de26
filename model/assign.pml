/*
 * assign.ts, take-slots.ts, write-allocation.ts: a request for one address, which one slot write serves, so that its allocation is `live` at once
 * and the slot decides. Without PARTS the allocation is left out: such a configuration is about the block alone.
 *
 * It ends at the label `answered` with the ordinal `n` and the token, or at `refused`.
 */

#ifndef ROUNDS
#define ROUNDS 2 /* ASSIGN_ROUNDS_MAX is 16: more rounds begin as the second does */
#endif

#ifndef hasRoom
/* Any slot that is not taken, as it is seen: cooled or never used. */
#define choose(b, n, was) \
  if \
  :: isFree(b, 0) -> n = 0 \
  :: SLOTS > 1 && isFree(b, SLOTS - 1) -> n = SLOTS - 1 \
  fi; \
  was = block[b].tag[n]
#define hasRoom(b) (isFree(b, 0) || isFree(b, SLOTS - 1))
#endif

inline assign(me) {
  skip;
learn:
  atomic {
    if
    :: round == ROUNDS -> goto withdraw
    :: else -> round++
    fi;
    if
    :: block[0].there && hasRoom(0) -> learned = block[0].epoch; choose(0, n, was)
    :: block[0].there && !hasRoom(0) -> goto withdraw
    :: !block[0].there ->
#ifdef CLAIMS
       goto claim
#else
       goto withdraw
#endif
    fi;
#ifdef PARTS
    if
    :: !with(allocation_after_epoch) && mine != 0 -> goto take
    :: else
    fi;
#endif
    token = me * 8 + round
  };

#ifdef PARTS
stamp:
  atomic {
    freshRevision(me, rev);
    if
    :: seen == 0 -> createAllocation(live, rev, token, 0, n)
    :: else -> changeAllocation(allocation_rev, seen, live, rev, token, 0, n)
    fi;
    if
    :: out == unknown -> goto lookAtAllocation
    :: else
    fi;
    if
    :: out == done || allocation.revision == rev -> mine = rev; seen = rev
    :: else -> goto stampLost
    fi
  };
  goto take;
lookAtAllocation:
  atomic {
    if
    :: allocation.revision == rev -> mine = rev; seen = rev
    :: allocation.revision != rev && allocation.revision == seen -> goto refused /* it may land yet, and then whoever comes next finds it */
    :: else -> goto stampLost
    fi
  };
  goto take;
stampLost:
#ifdef INSTANCES
  mine = 0;
  goto lookAgain;
#elif defined(KEYED)
  /* Another execution of the request: what it came to. */
  atomic {
    if
    :: allocation.state == absent -> goto withdraw
    :: else -> mine = 0; looks = 0; other = allocation.revision; otherToken = allocation.token[0]; otherState = allocation.state
    fi
  };
  goto replay;
#else
  goto withdraw;
#endif
#endif

take:
  tries = 0;
  do
  :: atomic {
       takeSlots(0, n, token, learned, was);
       if
       :: out == done -> ANSWER(me, n, token); goto answered
       :: out == unknown ->
          if
          :: with(no_blind_retry) -> break
          :: else
          fi
       :: out == lost ->
          /* The block came back. Rule 6: own tag first. */
          found = heldAt(0, token);
          if
          :: with(own_token_first) && found != NONE -> n = found; ANSWER(me, n, token); goto answered
          :: else
          fi;
          if
          :: !block[0].there || block[0].epoch != learned || !hasRoom(0) || tries == 1 -> goto learn
          :: else -> tries++; choose(0, n, was)
          fi
       fi
     }
  od;

  /* take-slots.ts, settle: rule 3, no blind retry: look, fence, look. */
  atomic {
    found = heldAt(0, token);
    if
    :: found != NONE -> n = found; ANSWER(me, n, token); goto answered
    :: else
    fi
  };
  fence(unknown_fence, 0, token);
  atomic {
    if
    :: found != NONE -> n = found; ANSWER(me, n, token); goto answered
    :: else -> goto learn
    fi
  };

#ifdef CLAIMS
  /* claim-block.ts: put if absent decides; what is known only when it is looked at is learned in the next round. */
claim:
  atomic { createBlock(0, me); goto learn };
#endif

#ifdef KEYED
  /* replay.ts: what an earlier execution has come to. One that is young is told so, which is no answer. */
replay:
  atomic {
    if
    :: otherState == released -> goto refused /* already_released */
    :: else -> found = heldAt(0, otherToken)
    fi
  };
  if
  :: found != NONE ->
     atomic {
       if
       :: clause(replay_reread, allocation.revision == other) -> n = found; token = otherToken; ANSWER(me, n, token); goto answered
       :: else -> goto lookAgain
       fi
     }
  :: else ->
     fence(replay_fence, 0, otherToken);
     atomic {
       if
       :: found == NONE -> seen = other; goto learn
       :: else
       fi
     }
  fi;
lookAgain:
  atomic {
    if
    :: allocation.state == absent -> seen = 0; goto learn
    :: allocation.state != absent && looks == 1 -> goto refused
    :: else -> looks++; other = allocation.revision; otherToken = allocation.token[0]; otherState = allocation.state; goto replay
    fi
  };
#endif

withdraw:
#ifdef PARTS
  atomic {
    if
    :: mine != 0 -> deleteAllocation(withdraw_rev, mine)
    :: else
    fi;
    goto refused
  };
#endif
}
