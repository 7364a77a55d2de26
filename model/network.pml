/* What is on the wire lands at any moment. */
active proctype network() {
  mtype out;
end:
  do
  :: atomic {
       wire.write != nowhere ->
       printf("%d: what was on the wire lands\n", _pid);
       if
       :: wire.write == takeSlotsWrite -> landTakeSlots(wire.x1, wire.x2, wire.x3, wire.x4, wire.x5)
       :: wire.write == freeSlotsWrite -> landFreeSlots(wire.x1, wire.x2, wire.x3, wire.x4)
       :: wire.write == fenceWrite -> landFenceBlock(wire.x1)
       :: wire.write == createBlockWrite -> landCreateBlock(wire.x1, wire.x2)
       :: wire.write == markIdleWrite -> landMarkIdle(wire.x1, wire.x2)
       :: wire.write == deleteBlockWrite -> landDeleteBlock(wire.x1, wire.x2)
       :: wire.write == changeHostWrite -> landChangeHost(wire.x1, wire.x2, wire.x3)
#ifdef PARTS
       :: wire.write == createAllocationWrite -> landCreateAllocation(wire.x1, wire.x2, wire.x3, wire.x4, wire.x5)
       :: wire.write == changeAllocationWrite -> landChangeAllocation(wire.x1, wire.x2, wire.x3, wire.x4, wire.x5, wire.x6, wire.x7)
       :: wire.write == deleteAllocationWrite -> landDeleteAllocation(wire.x1, wire.x2)
       :: wire.write == markGivenWrite -> landMarkGiven(wire.x1, wire.x2, wire.x3, wire.x4)
       :: wire.write == deleteAllocationOfTokenWrite -> landDeleteAllocationOfToken(wire.x1)
#endif
#ifdef LANDINGS
       LANDINGS
#endif
       fi;
       wire.write = nowhere;
       wire.x1 = 0; wire.x2 = 0; wire.x3 = 0; wire.x4 = 0; wire.x5 = 0; wire.x6 = 0; wire.x7 = 0;
       out = 0
     }
  od
}

/* The invariant of the configuration, in every state. */
active proctype judge() {
end:
  atomic { !(INVARIANT) -> assert(false) }
}
