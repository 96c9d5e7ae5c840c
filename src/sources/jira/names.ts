/** Fields of Jira's own that stand at the head of an issue, with what they are called where Jira does not say. */
export const HEAD: Record<string, string> = {
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

export const LISTED = [...Object.keys(HEAD), 'created', 'attachment'];

/** Fields that have a place of their own, or say how far work is rather than what it is. */
export const ELSEWHERE = new Set([
  ...['summary', 'project', 'description', 'comment', 'attachment', 'issuelinks', 'subtasks', 'security'],
  ...['created', 'updated', ...Object.keys(HEAD)],
]);

/** Whether a field is among those of the settings, which Jira's own patterns may name. */
export function isWanted(fields: string[] | null, name: string): boolean {
  if (fields === null) return true;
  if (fields.includes(`-${name}`)) return false;
  return fields.includes(name) || fields.every(isPattern) || fields.some((each) => each.startsWith('*'));
}

/** The fields as a request for one issue names them. */
export function requestedFields(fields: string[] | null): string {
  if (fields === null) return '*all';
  const isAll = fields.every(isPattern) && !fields.some((each) => each.startsWith('*'));
  return [...new Set([...(isAll ? ['*all'] : []), ...fields, 'summary', 'project'])].join(',');
}

const isPattern = (each: string) => each.startsWith('*') || each.startsWith('-');
