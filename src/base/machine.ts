/** A node that runs on a machine of a cloud, by the id of the machine. It is a hint: the node's report decides. */
export interface Machine {
  readonly id: string;
  readonly space: string;
  readonly name: string;
  readonly uid: string;
}
