/*
 * I14: an instance has one allocation, on which only its last incarnation acts; a keep and a return neither free nor move its slot. What its last
 * incarnation was answered stands until it is asked back, or until a later request has seen it and takes its place. That every taken slot has
 * its allocation (I3) is judged beside it.
 *
 * The instance is new: a request for one uid, one for a later uid, and one of: the earlier uid's addresses are kept or released, by generation
 * or by uid; the repair run runs. Or its allocation is live or kept (STANDS): the same two requests, or without the EARLIER one both of the
 * others. One write may stay on the wire.
 */
#define PARTS 1
#define SLOTS 1
#define INSTANCES
#define UIDS 2
#ifndef STANDS
#define STANDS false
#endif
#ifndef EARLIER
#define EARLIER true
#endif
#ifndef LOOKS
#define LOOKS 2
#endif
/* The uid for which an execution writes, by its revisions. */
#define uidOf(rev) (rev >= 32 -> 2 : 1)
/* The host for which each request is. */
byte hosts[3];
#define hostOf(rev) hosts[uidOf(rev)]
/* What the last incarnation was answered, and its uid; 0 once it is asked back. */
byte told, toldIncarnation, toldUid;
/* What the earlier uid was answered last: its generation. It asks back one incarnation, or whatever the uid has. */
byte generation, generationToken, asked;
bool askedAll;
/* The incarnation that a request of each uid set out to take the place of. */
byte replacing[3];
#define hasAllocation (isFree(0, 0) || (allocation.state != absent && allocation.token[0] == block[0].tag[0]))
#define stands (block[0].tag[0] == told && allocation.state == live && allocation.incarnation == toldIncarnation)
#define isAsked (toldUid == 1 && (askedAll || asked == toldIncarnation))
#define INVARIANT (hasAllocation && (told == 0 || isAsked || stands))
/* An execution whose allocation another one has changed since is answered late: that incarnation is over. */
#define ANSWER(me, n, t) \
  printf("%d: answered: token %d, by revision %d\n", _pid, t, mine); \
  if \
  :: allocation.state == live && allocation.revision == mine && replacing[3 - uidOf(mine)] != allocation.incarnation -> \
     told = t; toldIncarnation = allocation.incarnation; toldUid = uidOf(mine) \
  :: else \
  fi; \
  if \
  :: uidOf(mine) == 1 -> generation = (allocation.revision == mine -> allocation.incarnation : mine); generationToken = t \
  :: else \
  fi
/* A request that takes the place of an incarnation that it has seen, whether or not that was answered yet. A uid that was replaced may not. */
#define REPLACE(me, seen_) \
  if \
  :: isReplaced -> skip \
  :: !isReplaced -> replacing[uidOf(me * 16)] = seen_ \
  fi; \
  if \
  :: !isReplaced && seen_ == toldIncarnation && toldUid != uidOf(me * 16) -> told = 0; toldIncarnation = 0; toldUid = 0 \
  :: else \
  fi
#include "store.pml"
#include "walks.pml"
#include "assign.pml"
#include "close.pml"
#include "instance.pml"

proctype request(byte me) {
  mtype out, otherState;
  byte found, tries, learned, n, was, token, round, mine, seen, rev, other, otherToken, otherIncarnation, looks;
  bool freed, whole, isSame, isMoved, isReplaced;
  settleInstance(me);
  assign(me);
answered:
refused:
  skip
}

/* free-named.ts: the allocation says "freed" before the slot is free. Of a kept allocation too. */
inline releaseGeneration() {
  if
  :: with(mark_first) -> markInstance()
  :: else
  fi;
  freeSlot(0, otherToken, 0, COOLING);
  if
  :: !with(mark_first) -> markInstance()
  :: else
  fi;
  atomic { deleteAllocation(instance_delete_rev, seen) }
}
inline markInstance() {
  otherState = live;
  do
  :: atomic {
       freshRevision(ENDER, rev);
       markGiven(otherToken, rev, otherState, asked);
       if
       :: out == lost && otherState == live && allocation.state == kept -> otherState = kept
       :: out != unknown && !(out == lost && otherState == live && allocation.state == kept) ->
          if
          :: allocation.state == released && allocation.incarnation == asked && allocation.token[0] == otherToken -> seen = allocation.revision; break
          :: else -> goto stop
          fi
       :: out == unknown
       fi
     }
  od
}

proctype later() {
  mtype out, otherState;
  byte found, tries, seen, rev, other, otherToken;
  bool freed;
  if
  :: skip;
endUnanswered:
     atomic { generation != 0 -> asked = generation; otherToken = generationToken };
     if
     :: keep(asked)
     :: true -> releaseGeneration()
     fi
  :: skip;
endUntold:
     /* release-instance.ts, by uid */
     atomic { allocation.state != absent && allocation.uid == 1 -> see(); asked = allocation.incarnation; askedAll = true };
     if
     :: otherState != released -> keep(asked)
     :: true -> endAsSeen(ENDER, false); atomic { deleteAllocation(instance_delete_rev, other) }
     fi
  fi;
changed:
stop:
  skip
}

proctype repairRun() {
  mtype out;
  byte found, tries, seen, token, hint;
  bool freed, over;
  repairAllocation()
}

#include "network.pml"

init {
  atomic {
    leaveOut();
    block[0].there = true;
    hosts[1] = 1;
    if :: hosts[2] = 1 :: hosts[2] = 2 fi;
    run request(2);
    if
    :: STANDS ->
       block[0].tag[0] = 8; allocation.token[0] = 8; allocation.revision = 16; allocation.uid = 1; allocation.incarnation = 16;
       generation = 16; generationToken = 8;
       if :: allocation.state = live :: allocation.state = kept fi;
       if :: allocation.host = 1 :: allocation.host = 2 fi
    :: else
    fi;
    if
    :: !EARLIER -> run later(); run repairRun()
    :: EARLIER && STANDS -> run request(1)
    :: EARLIER && !STANDS ->
       run request(1);
       if :: run later() :: run repairRun() fi
    fi
  }
}
