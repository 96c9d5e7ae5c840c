/** Command that the vendor rejects because of its content, with status 200. */
export class Refused extends Error {
  readonly errorCode: string;
  constructor(errorCode: string, message: string) {
    super(message);
    this.errorCode = errorCode;
  }
}
