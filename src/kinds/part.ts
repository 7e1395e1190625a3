/** The apiVersion of documents that kinds make for parts (`Kind.parts`). The graph refuses it in packages. */
export const partApiVersion = 'gitmoor/part'
