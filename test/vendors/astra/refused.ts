/** A command that the vendor refuses for what it holds: the error comes with a status of 200. */
export class Refused extends Error {
  readonly errorCode: string;
  constructor(errorCode: string, message: string) {
    super(message);
    this.errorCode = errorCode;
  }
}
