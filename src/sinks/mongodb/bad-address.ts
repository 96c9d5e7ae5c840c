/** Problem with a `db_uri`. The message contains no secret part of the URI. */
export class BadAddress extends Error {}
