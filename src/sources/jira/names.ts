/** Standard Jira fields shown at the top of an issue, with labels for the case that Jira returns none. */
export const HEAD_FIELDS: Record<string, string> = {
  issuetype: 'Type',
  status: 'Status',
  priority: 'Priority',
  resolution: 'Resolution',
  assignee: 'Assignee',
  reporter: 'Reporter',
  labels: 'Labels',
  components: 'Components',
  fixVersions: 'Fix versions',
  versions: 'Affects versions',
  parent: 'Parent',
  duedate: 'Due date',
};

export const LISTED_FIELDS = [...Object.keys(HEAD_FIELDS), 'created', 'attachment'];

/** Names of Jira fields that are rendered elsewhere in the text or not at all. */
export const RENDERED_ELSEWHERE = new Set([
  ...['summary', 'project', 'description', 'comment', 'attachment', 'issuelinks', 'subtasks', 'security'],
  ...['created', 'updated', ...Object.keys(HEAD_FIELDS)],
]);

/**
 * Returns whether the settings include a Jira field. The settings may contain Jira's patterns, such as `*all`
 * or `-comment`.
 */
export function isWanted(fields: string[] | null, name: string): boolean {
  if (fields === null) return true;
  if (fields.includes(`-${name}`)) return false;
  return fields.includes(name) || fields.every(isPattern) || fields.some((each) => each.startsWith('*'));
}

export function getRequestedFields(fields: string[] | null): string {
  if (fields === null) return '*all';
  const isAll = fields.every(isPattern) && !fields.some((each) => each.startsWith('*'));
  return [...new Set([...(isAll ? ['*all'] : []), ...fields, 'summary', 'project'])].join(',');
}

const isPattern = (each: string) => each.startsWith('*') || each.startsWith('-');
