/** Input of the operation that lists the indexes with their state and counts of files. */
export const INDEX_LIST = { query: { expand: ['status', 'counts'] as ('status' | 'counts')[] } };
