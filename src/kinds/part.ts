/** The apiVersion of documents that kinds make for their parts (`Kind.parts`). No author may write it: the graph refuses it in a package. */
export const partApiVersion = 'gitmoor/part'
