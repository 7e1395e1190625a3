// @hono/node-server names this type of the DOM library, which a Node program does not load.
type RequestInfo = string | URL | Request
