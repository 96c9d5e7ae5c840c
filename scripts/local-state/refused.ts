/** Error for a state folder that cannot be used as requested. The message explains why and what to do. */
export class StateRefused extends Error {}
