/** Why an answer is not made any more although nothing failed: nobody wants it. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}
