/** A state folder cannot be used as asked. The message says why and what to do. */
export class StateRefused extends Error {}
