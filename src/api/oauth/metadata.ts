import { SCOPES } from '#src/services/applications/scopes.ts';

/** Console page on which the user allows or refuses an application. It is the authorization endpoint. */
const CONSENT_PAGE = '/console/connect';

/** Returns the authorization server metadata (RFC 8414) of an issuer. */
export const describeAuthorizationServer = (issuer: string) => ({
  issuer,
  authorization_endpoint: issuer + CONSENT_PAGE,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  scopes_supported: SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${issuer}/docs/guide/reference/mcp`,
});
