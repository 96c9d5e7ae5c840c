/** What is wrong with a `db_uri`, in words without any part of it that may be secret. */
export class BadAddress extends Error {}
