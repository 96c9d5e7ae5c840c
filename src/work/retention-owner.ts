/** Deletes expired data repeatedly, as long as any data can expire. */
export interface RetentionOwner {
  /**
   * Schedules the next pass. `soon` means that a retention setting has just changed. `sometime` means that
   * the pass which is already scheduled is early enough, if there is one.
   */
  watch(when: 'soon' | 'sometime'): Promise<void>;
}
