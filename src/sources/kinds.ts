/** Every `source_type` of the API. The registry does not compile while one of them has no definition. */
export type SourceType =
  | 'SOURCE_1_BLOB'
  | 'SOURCE_2_FOLDERS'
  | 'SOURCE_3_WIKI'
  | 'SOURCE_4_DRIVE'
  | 'SOURCE_5_ISSUES'
  | 'SOURCE_5_ISSUES_V2'
  | 'SOURCE_6_PERSONAL_DRIVE'
  | 'SOURCE_7_SITE'
  | 'SOURCE_8_PAGE'
  | 'SOURCE_9_BUCKET'
  | 'SOURCE_10_CHAT';
