/** Schedule that deletes expired data repeatedly, as long as any data can expire. */
export interface RetentionOwner {
  /**
   * Schedules the next deletion of expired data. `soon` means that a retention setting has just changed.
   * `sometime` keeps the time of a deletion that is already scheduled.
   */
  watch(when: 'soon' | 'sometime'): Promise<void>;
}
