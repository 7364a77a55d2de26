/*
 * I18: what a node has goes by its end only if that was seen, waited for and not taken back. nodes/apply-node.ts, nodes/bury.ts,
 * nodes/leave.ts, nodes/end-node.ts.
 *
 * A node stands with resourceVersion 1. It leaves a watch (DELETED, 2) and comes back (MODIFIED, 3), and the repair run ends it. Beside
 * them the end is told once more, and a request reserves a prefix; or a second repair run runs (RUNS). One write may stay on the wire.
 */
#define HELD_FIRST 1
#ifndef RUNS
#define RUNS false
#endif

mtype = { deleteReportWrite, putReportWrite, putGoneWrite, deleteGoneWrite };
#define LANDINGS \
  :: wire.write == putReportWrite -> landPutReport(wire.x1, wire.x2, wire.x3, wire.x4) \
  :: wire.write == deleteReportWrite -> landDeleteReport(wire.x1) \
  :: wire.write == putGoneWrite -> landPutGone(wire.x1, wire.x2, wire.x3, wire.x4, wire.x5) \
  :: wire.write == deleteGoneWrite -> landDeleteGone(wire.x1, wire.x2)
/* The prefix that the node was told to have after it came back; 0 before. */
byte told;
#define INVARIANT ((told == 0 || prefix == told) && (gone.state != freed || prefix == 0))
#include "store.pml"

/* What is known of the node: src/kernel/items/node-life.ts. A revision of 0 is that of no item. */
typedef Report { byte version; byte revision };
Report report;
mtype = { noEnd, quarantined, freeing, freed };
/* `last`: the last prefix that may have come before the quarantine was over; what came later is not of this end. */
typedef Gone { mtype state = noEnd; byte version; byte last; byte revision };
Gone gone;
byte revisions = 1;

/* The allocation of the node's prefix by its token, or 0. Of how it is taken and freed, see i3.pml and i8-pending.pml. */
byte prefix = HELD_FIRST;
byte tokens = HELD_FIRST;
/* Requests and events that are at work. */
byte requests;

inline landPutReport(act, seen_, version_, rev) {
  if
  :: clause(act, report.revision == seen_) ->
     printf("%d: the node is reported with version %d\n", _pid, version_);
     report.version = version_; report.revision = rev; out = done
  :: else -> out = lost
  fi
}
inline putReport(act, seen_, version_) {
  revisions++;
  if
  :: d_step { landPutReport(act, seen_, version_, revisions) }
  :: faults > 0 -> onTheWire(putReportWrite, act, seen_, version_, revisions, 0, 0, 0)
  fi
}

inline landDeleteReport(seen_) {
  if
  :: report.revision != 0 && clause(delete_report_rev, report.revision == seen_) ->
     printf("%d: the report is deleted\n", _pid);
     report.version = 0; report.revision = 0; out = done
  :: else -> out = lost
  fi
}
inline deleteReport(seen_) {
  if
  :: d_step { landDeleteReport(seen_) }
  :: faults > 0 -> onTheWire(deleteReportWrite, seen_, 0, 0, 0, 0, 0, 0)
  fi
}

inline landPutGone(act, seen_, state_, version_, rev) {
  if
  :: clause(act, gone.revision == seen_) ->
     if
     :: state_ == quarantined -> printf("%d: the node has ended, with version %d\n", _pid, version_)
     :: state_ == freeing -> printf("%d: what the node has is about to be freed\n", _pid)
     :: state_ == freed -> printf("%d: the node has nothing any more\n", _pid)
     fi;
     if
     :: state_ == freeing -> gone.last = tokens
     :: else
     fi;
     gone.state = state_; gone.version = version_; gone.revision = rev; out = done
  :: else -> out = lost
  fi
}
inline putGone(act, seen_, state_, version_) {
  revisions++;
  if
  :: d_step { landPutGone(act, seen_, state_, version_, revisions) }
  :: faults > 0 -> onTheWire(putGoneWrite, act, seen_, state_, version_, revisions, 0, 0)
  fi
}

inline landDeleteGone(act, seen_) {
  if
  :: gone.revision != 0 && clause(act, gone.revision == seen_) ->
     printf("%d: the end of the node is taken back\n", _pid);
     gone.state = noEnd; gone.version = 0; gone.last = 0; gone.revision = 0; out = done
  :: else -> out = lost
  fi
}
inline deleteGone(act, seen_) {
  if
  :: d_step { landDeleteGone(act, seen_) }
  :: faults > 0 -> onTheWire(deleteGoneWrite, act, seen_, 0, 0, 0, 0, 0)
  fi
}

/* One Query shows all that is known of the node. */
#define see() seenReport = report.revision; reported = report.version; seenGone = gone.revision; ended = gone.version; end_ = gone.state

/* The tombstone → the report. An event whose write was lost, or is not heard of, is judged anew. */
proctype deleted() {
  mtype out, end_;
  byte seenReport, reported, seenGone, ended;
  do
  :: atomic { see() };
     if
     :: reported > 2 || ended > 2 -> break
     :: else
     fi;
     if
     :: end_ == noEnd -> atomic { putGone(gone_absent, seenGone, quarantined, 2) }
     :: else -> out = done
     fi;
     if
     :: out == done && seenReport == 0 -> break
     :: out == done && seenReport != 0 ->
        atomic { deleteReport(seenReport) };
        if
        :: out == done -> break
        :: else
        fi
     :: else
     fi
  od
}

/* The own tombstone is taken back → the report → the prefix. */
proctype stated() {
  mtype out, end_;
  byte seenReport, reported, seenGone, ended;
begin:
  requests++;
again:
  atomic {
    see();
    if
    :: with(freeing_waits) && end_ == freeing -> goto wait
    :: else
    fi
  };
  if
  :: end_ != noEnd ->
     atomic { deleteGone(revive_rev, seenGone) };
     if
     :: out != done -> goto again
     :: else
     fi
  :: else
  fi;
  atomic { putReport(status_rev, seenReport, 3) };
  if
  :: out != done -> goto again
  :: else
  fi;
  atomic {
    if
    :: prefix == 0 -> tokens++; prefix = tokens; printf("%d: the node gets prefix %d\n", _pid, prefix)
    :: else
    fi;
    told = prefix;
    printf("%d: the node is told of prefix %d\n", _pid, told);
    goto stop
  };
wait:
  requests--;
endWaits:
  /* The event comes again. */
  atomic { gone.state != freeing -> goto begin };
stop:
  requests--
}

/* A reservation: nothing for a node that has ended. It takes less time than the quarantine. */
proctype reserve() {
  atomic {
    if
    :: gone.state != noEnd -> goto refused
    :: else -> requests++
    fi
  };
  atomic {
    if
    :: prefix == 0 -> tokens++; prefix = tokens; printf("%d: the node gets prefix %d\n", _pid, prefix)
    :: else
    fi;
    requests--
  };
refused:
  skip
}

/* end-node.ts: a fresh look → `freeing` → the report → the allocations → `freed`. */
proctype finish() {
  mtype out, end_;
  byte seenReport, reported, seenGone, ended, last, seen;
  skip;
endDue:
  atomic { gone.state != noEnd && gone.state != freed && (!with(quarantine) || requests == 0) -> see(); last = gone.last };
  if
  :: with(finish_look) && reported > ended ->
     atomic { deleteGone(revive_rev, seenGone) };
     goto endDue
  :: else
  fi;
  if
  :: end_ == quarantined && with(freeing_first) ->
     atomic {
       putGone(freeing_rev, seenGone, freeing, ended);
       if
       :: out != done -> goto endDue
       :: else -> seenGone = gone.revision; last = gone.last
       fi
     }
  :: else
  fi;
  if
  :: seenReport != 0 && reported <= ended -> atomic { deleteReport(seenReport) }
  :: else
  fi;
  atomic { seen = prefix };
  atomic {
    if
    :: prefix == seen && prefix != 0 && clause(came_before, prefix <= last) -> prefix = 0; printf("%d: the prefix is freed\n", _pid)
    :: else
    fi
  };
  atomic { putGone(freed_rev, seenGone, freed, ended) };
  goto endDue
}

#include "network.pml"

init {
  atomic {
    leaveOut();
    report.version = 1; report.revision = 1;
    run deleted(); run stated(); run finish();
    if
    :: RUNS -> run finish()
    :: else -> run deleted(); run reserve()
    fi
  }
}
