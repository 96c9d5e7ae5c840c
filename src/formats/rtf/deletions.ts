import { buildDeletionOmission } from '#src/formats/shared/containers/unread-parts.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';

/** Counts the passages of an RTF file whose deletion was recorded as a change. */
export class RecordedDeletions {
  #count = 0;
  #lastWasDeleted = false;

  /** Adds a text and returns whether it is deleted. One passage may consist of several texts. */
  add(text: string, isDeleted: boolean): boolean {
    if (isDeleted && !this.#lastWasDeleted && text.trim() !== '') this.#count++;
    this.#lastWasDeleted = isDeleted;
    return isDeleted;
  }

  /** Reports the passages as omitted content, if there are any. */
  report(flow: Flow): void {
    if (this.#count > 0) flow.omit(buildDeletionOmission(this.#count));
  }
}
