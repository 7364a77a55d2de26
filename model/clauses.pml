/* What can be left out, one at a time: a clause of a condition, a step, or an order of steps. */
#define nothing             0
#define take_epoch          1   /* rule 1: a slot write is conditional on the epoch that its author learned */
#define take_slot           2   /* … and on the slot being as it was seen */
#define take_revision       3   /* every slot write sets a fresh revision */
#define take_unidle         4   /* every slot write removes the idle mark */
#define free_tag            5   /* a slot is freed only under exactly its tag */
#define block_absent        6   /* a block is put only where none stands */
#define delete_rev          7   /* a block is deleted as it was seen */
#define take_over_rev       8   /* a block changes hands as it was seen */
#define take_over_epoch     9   /* … and gets a new epoch */
#define idle_rev            10  /* a block is marked idle as it was seen */
#define allocation_absent       11  /* a allocation is put only where none stands */
#define allocation_rev          12  /* a allocation is written again as it was seen */
#define allocation_after_epoch  13  /* rule 2: whenever a block is learned anew the allocation is written anew */
#define no_blind_retry      14  /* rule 3: a write of unknown outcome is not sent again */
#define unknown_fence       15  /* rule 3: … but looked at, fenced, looked at */
#define new_tokens          16  /* rule 4: a replayed request gets new tokens */
#define own_token_first       17  /* rule 6: a lost condition that shows our own tag is a success */
#define pending_live           18  /* rule 7: nobody answers before the pending allocation is live */
#define pending_live_rev       19  /* rule 7: … which it becomes as it was seen */
#define abort_first         20  /* rule 7: its author frees nothing before the pending allocation is aborted */
#define abort_mark          56  /* rule 7: nor does anybody else */
#define abort_rev           21  /* rule 7: … which it becomes as it was seen */
#define withdraw_rev         22  /* rule 5, for each act by its name in the code */
#define end_rev             23
#define end_delete_rev      24
#define end_whole_rev       25
#define repair_rev         26
#define repair_released_rev 27
#define repair_abort_rev   28
#define repair_aborted_rev 29
#define replay_abort_rev    30
#define handle_fence        31  /* rule 1, for each act by its name in the code */
#define repair_fence       32
#define repair_release_fence 33
#define repair_abort_fence 34
#define replay_fence        35
#define replay_abort_fence  36
#define replay_reread       37  /* the allocation is read again after the look at what it holds */
#define mark_first          38  /* a keyed allocation says "freed" before the slot is free */
#define mark_live           39  /* … if it is live */
#define mark_token          40  /* … and still the assignment that the generation names */
#define release_allocation_token 41 /* a allocation is deleted unread only if it is the token's */
#define restore             43  /* the reclaimer restores affinities that are lost */
#define group_first          44  /* a block group enters the block-group index before its first block is put */
#define affinity_first           45  /* an affinity is put before its block */
#define place_absent        46  /* a place is taken only where none stands there */
#define affinity_confirm_rev     47
#define affinity_undo_rev        48
#define affinity_retire_rev      49
#define affinity_drop_rev        50
#define repair_affinity_rev     51
#define repair_confirm_rev 52
#define affinity_keep_rev        54
#define repair_duplicate_rev    55
#define min_age             53  /* a block is given up only past its minimum age */
#define instance_return_rev 57  /* rule 5, for each act on the allocation of an instance */
#define instance_end_rev    58
#define instance_delete_rev 59
#define instance_fence      60  /* rule 1: an instance whose author may still be at work is closed with a fence */
#define return_whole        61  /* the slots are looked at before an instance returns */
#define return_incarnation  62  /* … and with its return it has a new incarnation */
#define replaced_uid        63  /* a uid that a later one replaced gets nothing */
#define keep_live           64  /* an allocation is kept if it is live */
#define keep_incarnation    65  /* … and still that of this incarnation */
#define mark_incarnation    66  /* a release marks the allocation if it is still that of this incarnation */
#define application_absent  67  /* an application is put only where none stands */
#define change_application_rev 68 /* rule 5, for each act on the item of an application */
#define end_application_rev 69
#define settle_rev          70
#define leave_rev           71
#define delete_application_rev 72
#define let_go_tag          73  /* a held slot is let go by exactly the entry seen */
#define let_go_epoch        74  /* … with a new epoch */
#define settle_fence        75  /* rule 1: an address that is neither held nor taken is unlisted after a fence */
#define settle_look         79  /* … and an address is let go if the item is unchanged since its held slot was seen */
#define name_first          76  /* an application lists an address before it holds it */
#define free_look           77  /* the application is read after an instance freed its slot */
#define put_look            78  /* … and the slots after the item says that they are too many */
#define second_look         80  /* an application that grows reads the pools again after it learned the block */
#define cut_fence           81  /* rule 1: a pool that cuts an address out of an Applications pool fences the block */
#define adding_first        82  /* … after its item says that it is about to have the address */
#define add_addresses_rev   83  /* rule 5, for each act on the item of a pool */
#define add_undo_rev        84
#define put_pool_rev        85
#define shrink_pool_rev     86
#define status_rev          87  /* rule 5, for each act on what is known of a node */
#define delete_report_rev   88
#define gone_absent         89  /* the end of a node is put only where none stands */
#define revive_rev          90
#define freeing_rev         91
#define freed_rev           92
#define freeing_first       93  /* the end of a node says that its prefixes are being freed, before they are */
#define freeing_waits       94  /* … and a node that comes back waits meanwhile */
#define finish_look         95  /* the node is looked at again before its prefixes are freed */
#define came_before         96  /* only what came before that is freed */
#define quarantine          97  /* … and no request from before is still at work */

/* Set once, before anything runs, from the environment: one verifier serves all of them. */
c_decl { \#include <stdlib.h> };
byte without;
inline leaveOut() { c_code { if (getenv("WITHOUT")) now.without = atoi(getenv("WITHOUT")); } }
#define clause(name, test) (without == name || (test))
#define with(name) (without != name)
