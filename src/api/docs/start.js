SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  // A key that is typed in here is forgotten with the page: scripts of any page of this origin could read a stored one.
  persistAuthorization: false,
  validatorUrl: null,
});
