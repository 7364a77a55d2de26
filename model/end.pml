/* release.ts, end.ts, collect.ts: how a request for one address comes to its end. */

#define ENDER 15 /* whoever releases */

/* release.ts, releaseNamed, without a key: the slot first, then the record, unread, if it is still the token's. */
inline releaseAddress(t, n_) {
  giveBack(0, t, n_, COOLING);
  atomic {
    if
    :: freed && found == NONE -> deleteRecordOfToken(t)
    :: else
    fi
  }
}

/*
 * The same with a key: the record says "given back" before the slot is free, and stays, so that a late duplicate is told so
 * rather than given an address that nobody gives back.
 */
inline releaseKeyedAddress(t, n_) {
  if
  :: with(mark_first) ->
     do
     :: atomic {
          freshRevision(ENDER, rev);
          markGiven(t, rev);
          if
          :: out == unknown
          :: out != unknown && record.state != absent && record.token[0] == t -> break
          :: else -> goto stop
          fi
        }
     od
  :: else
  fi;
  giveBack(0, t, n_, COOLING);
  if
  :: !with(mark_first) -> atomic { freshRevision(ENDER, rev); markGiven(t, rev) }
  :: else
  fi
}

/* end.ts, finishPart: frees what is visibly held, and shuts out the author where nothing is visible. */
inline finish(act, t, hint, cools) {
  giveBack(0, t, hint, cools);
  if
  :: !freed && block[0].there ->
     fence(act, 0, t);
     if
     :: found != NONE -> giveBack(0, t, found, cools)
     :: else
     fi
  :: else
  fi
}

/* end.ts, endRecord, of a live record without a key: the short way where it is held in full, else mark, finish, delete. */
inline releaseHandle() {
  skip;
endAwaiting:
  atomic {
    record.state != absent -> seen = record.revision; token = record.token[0]; hint = record.ordinal
  };
#ifndef KEYED
  giveBack(0, token, hint, COOLING);
#endif
  if
#ifndef KEYED
  :: freed && found == NONE -> atomic { deleteRecord(end_whole_rev, seen) }
#endif
  :: else ->
     tries = 0;
     do
     :: record.state == released -> break
     :: else -> atomic {
          freshRevision(ENDER, rev);
          changeRecord(end_rev, seen, released, rev, token, 0, hint);
          if
          :: out == done -> seen = rev; break
          :: out == lost ->
             if
             :: record.state == absent || tries == 1 -> goto stop
             :: else -> tries++; seen = record.revision; token = record.token[0]; hint = record.ordinal
             fi
          :: out == unknown
          fi
        };
        if
        :: out == unknown ->
           atomic {
             if
             :: record.revision == rev -> seen = rev; break
             :: record.revision != rev && (record.state == absent || tries == 1) -> goto stop
             :: else -> tries++; seen = record.revision; token = record.token[0]; hint = record.ordinal
             fi
           }
        :: else
        fi
     od;
     finish(handle_fence, token, hint, COOLING);
#ifndef KEYED
     atomic { deleteRecord(end_delete_rev, seen) }
#endif
  fi
}

/* collect.ts, collectRecord: what is released is finished; what is live and holds nothing is fenced, looked at, deleted as seen. */
inline collectRecord() {
  skip;
endAwaiting:
  atomic {
    record.state != absent ->
    seen = record.revision; token = record.token[0]; hint = record.ordinal; over = (record.state == released)
  };
  if
  :: over ->
     finish(collect_release_fence, token, hint, COOLING);
#ifndef KEYED
     atomic { deleteRecord(collect_released_rev, seen) }
#else
     skip /* it is kept for 24 hours, longer than any duplicate comes late */
#endif
  :: else ->
     atomic { found = heldAt(0, token) };
     if
     :: found == NONE ->
        fence(collect_fence, 0, token);
        atomic {
          if
          :: found == NONE -> deleteRecord(collect_rev, seen)
          :: else
          fi
        }
     :: else
     fi
  fi
}
