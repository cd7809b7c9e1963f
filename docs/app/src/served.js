// The server lets the page ask it, and the page's policy says so.
export const served = document.querySelector('meta[http-equiv="Content-Security-Policy"]').content.includes("connect-src 'self'");
