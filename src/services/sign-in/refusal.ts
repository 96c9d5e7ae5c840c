/** Reasons why a sign-in was refused. The console explains each of them. */
export const REFUSALS = [
  /** The user or the provider declined. */
  'denied',
  /** The cookie of the sign-in is missing, expired or belongs to another attempt. */
  'expired',
  /** The answer of the provider is invalid, or the provider could not be reached. */
  'failed',
  'email_not_verified',
  'domain_not_allowed',
  /** The account is neither a member nor invited. */
  'not_invited',
  /** The member with this e-mail address signs in with another account, of this or another provider. */
  'account_conflict',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** Refused sign-in. The message is for the log of the service and contains no claims. */
export class SignInRefused extends Error {
  readonly reason: Refusal;

  constructor(reason: Refusal, message: string = reason) {
    super(message);
    this.reason = reason;
  }
}
