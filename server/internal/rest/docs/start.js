SwaggerUIBundle({
  url: '/openapi.yaml',
  dom_id: '#docs',
  deepLinking: true,
  // No badge: it would be fetched from elsewhere.
  validatorUrl: null,
})
