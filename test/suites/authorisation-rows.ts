// Results that many operations share. The table of operations is in authorisation-table.ts.

/** Callers who act on resources of the default project P of organization O. */
export type Role =
  /** No credentials. */
  | 'nobody'
  /** An admin of another organization. */
  | 'stranger'
  | 'member'
  | 'admin'
  /** A key of an admin that is scoped to P. */
  | 'projectKey'
  /** A key of an admin that is scoped to another project of O. */
  | 'otherProjectKey'
  /** A key for O that an admin made for the member. */
  | 'keyForMember'
  /** A key that another organization made for the admin of O: it reaches nothing outside of that one. */
  | 'keyFromElsewhere'
  /** The admin, who names another organization of theirs in `organization_id`. */
  | 'askingElsewhere'
  /** The admin's session cookie, in a request from another site. */
  | 'cookieWithoutOrigin';

/**
 * Expected result: the status of a rejection, or a success. `done` is any success, `own` is a success that
 * shows data of O, and `elsewhere` is a success that shows none.
 */
export type Outcome = number | 'done' | 'own' | 'elsewhere';
/** Expected result of one operation for every caller. */
export type Row = Record<Role, Outcome>;

/** Reads a resource of a project by its id, in any project that the caller can access. */
export const READ_ANYWHERE: Row = {
  nobody: 401,
  stranger: 404,
  member: 'done',
  admin: 'done',
  projectKey: 'done',
  otherProjectKey: 404,
  keyForMember: 'done',
  keyFromElsewhere: 404,
  askingElsewhere: 'done',
  cookieWithoutOrigin: 'done',
};
export const CHANGE_ANYWHERE: Row = { ...READ_ANYWHERE, cookieWithoutOrigin: 403 };
/** Reads a resource, where the request may limit the organization. */
export const READ: Row = { ...READ_ANYWHERE, askingElsewhere: 404 };
export const CHANGE: Row = { ...READ, cookieWithoutOrigin: 403 };

/** Reads a conversation of the admin, which is private within the project. */
export const OWN_SESSION: Row = { ...READ_ANYWHERE, member: 404, keyForMember: 404 };

/** Reads a response that the admin stored, where the request may limit the organization. */
export const OWN_RESPONSE: Row = { ...READ, member: 404, keyForMember: 404 };

/** Lists what belongs to a resource that has nothing yet. */
export const LIST_NOTHING: Row = {
  nobody: 401,
  stranger: 'elsewhere',
  member: 'elsewhere',
  admin: 'elsewhere',
  projectKey: 'elsewhere',
  otherProjectKey: 'elsewhere',
  keyForMember: 'elsewhere',
  keyFromElsewhere: 'elsewhere',
  askingElsewhere: 'elsewhere',
  cookieWithoutOrigin: 'elsewhere',
};

export const LIST: Row = {
  nobody: 401,
  stranger: 'elsewhere',
  member: 'own',
  admin: 'own',
  projectKey: 'own',
  otherProjectKey: 'elsewhere',
  keyForMember: 'own',
  keyFromElsewhere: 'elsewhere',
  askingElsewhere: 'elsewhere',
  cookieWithoutOrigin: 'own',
};
export const CREATE: Row = { ...LIST, cookieWithoutOrigin: 403 };
/** Creates a job for a file of P. The request names no file where P is out of reach. */
export const USE_FILE: Row = {
  ...CHANGE,
  stranger: 400,
  otherProjectKey: 400,
  keyFromElsewhere: 400,
  askingElsewhere: 400,
};
/** Concerns only the caller; the response names no project or organization. */
export const OWN_BUSINESS: Row = {
  nobody: 401,
  stranger: 'done',
  member: 'done',
  admin: 'done',
  projectKey: 'done',
  otherProjectKey: 'done',
  keyForMember: 'done',
  keyFromElsewhere: 'done',
  askingElsewhere: 'done',
  cookieWithoutOrigin: 403,
};
export const PUBLIC: Row = { ...OWN_BUSINESS, nobody: 'done', cookieWithoutOrigin: 'done' };

/** Acts on a browser session that the admin opened with a key for the whole organization. */
export const OWN_BROWSER: Row = { ...CHANGE, member: 404, projectKey: 404, keyForMember: 404 };

/** Acts on an application that the admin connected to the project. */
export const OWN_APPLICATION: Row = { ...CHANGE, member: 404, keyForMember: 404 };

/**
 * Organizations are visible to keys of their projects, and can be changed only by admins with an
 * organization-wide key.
 */
export const READ_ORGANIZATION: Row = { ...READ_ANYWHERE, otherProjectKey: 'done' };
export const RUN_ORGANIZATION: Row = {
  ...READ_ORGANIZATION,
  member: 403,
  projectKey: 403,
  otherProjectKey: 403,
  keyForMember: 403,
  cookieWithoutOrigin: 403,
};
export const LIST_ORGANIZATIONS: Row = { ...LIST, otherProjectKey: 'own', askingElsewhere: 'own' };
/** Acts outside of O, which keys of one organization or project cannot do. */
export const LEAVE_ORGANIZATION: Row = {
  ...OWN_BUSINESS,
  projectKey: 403,
  otherProjectKey: 403,
  keyForMember: 403,
  keyFromElsewhere: 403,
};
export const LIST_PROJECTS: Row = { ...LIST, otherProjectKey: 'own' };
export const CREATE_PROJECT: Row = {
  ...CREATE,
  member: 403,
  projectKey: 403,
  otherProjectKey: 403,
  keyForMember: 403,
};
/** Reads a project other than P. */
export const READ_PROJECT: Row = { ...READ, projectKey: 404 };
/** Changes a project other than P, or an organization-wide key that the admin created. */
export const RUN_BESIDES: Row = { ...READ_PROJECT, member: 403, keyForMember: 403, cookieWithoutOrigin: 403 };
/** Operations for the operator of the installation. None of these callers is the operator. */
export const OPERATOR: Row = {
  nobody: 401,
  stranger: 403,
  member: 403,
  admin: 403,
  projectKey: 403,
  otherProjectKey: 403,
  keyForMember: 403,
  keyFromElsewhere: 403,
  askingElsewhere: 403,
  cookieWithoutOrigin: 403,
};
