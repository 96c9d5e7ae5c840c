/** Has expired things removed, again and again, for as long as anything expires. */
export interface RetentionOwner {
  /** `soon`: somebody has just said what expires; `sometime`: at the next pass, if there is one to come. */
  watch(when: 'soon' | 'sometime'): Promise<void>;
}
