/** Thrown if a `db_uri` is invalid. The message contains no secret part of the URI. */
export class BadAddress extends Error {}
