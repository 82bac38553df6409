/** What stands on the page before anything is known of a run. @module */

const ICON = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'/%3E";

export function markup(style: string, script: string): string {
  return `<!doctype html>
<html lang="en" data-link="connecting">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>fusebox</title>
<link rel="icon" id="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
<a class="skip" href="#tools">Skip to the tools</a>
<header class="door">
  <p class="brand">${FUSE}<span>fusebox</span></p>
  <p class="link" role="status"><span class="lamp" aria-hidden="true"></span><span id="link">Connecting…</span></p>
  <button type="button" id="theme">Theme: automatic</button>
</header>
<main>
  <div class="notice" id="over" hidden>
    <p><strong id="over-title">The run has ended.</strong> <span id="over-text"></span></p>
    <label><input type="checkbox" id="again"> Show the next run on this address</label>
  </div>
  <div class="top">
    <h1 id="headline">Waiting for the run…</h1>
    <ul class="trouble" id="trouble" aria-label="What needs attention" hidden></ul>
    <p id="rest"></p>
    <dl class="facts" id="facts"></dl>
  </div>
  <form class="notice" id="sign-in" hidden>
    <label for="token">The token of this page (it is in <code>$FUSEBOX_STATUS_TOKEN</code> where fusebox runs)</label>
    <input type="password" id="token" autocomplete="off" spellcheck="false" required>
    <button type="submit">Show the run</button>
    <p id="sign-in-why" role="alert"></p>
  </form>
  <div class="room">
    <section class="plate" aria-labelledby="circuits">
      <div class="bar"><h2 id="circuits">Circuits</h2></div>
      <ul class="rail" id="panel" hidden></ul>
      <p class="none" id="no-servers" hidden>No servers are configured. A configuration names them under <code>servers</code>.</p>
    </section>
    <section class="plate meter" aria-labelledby="calls">
      <div class="bar"><h2 id="calls">Calls and changes</h2><button type="button" id="pause" aria-pressed="false">Pause</button></div>
      <ol class="feed" id="feed" tabindex="0" aria-labelledby="calls"></ol>
      <p class="none" id="no-calls">Nothing yet. Calls of tools come here, and what becomes of servers.</p>
    </section>
  </div>
  <section class="plate" id="tools" aria-labelledby="tools-title" tabindex="-1">
    <div class="bar">
      <h2 id="tools-title">Tools</h2>
      <p class="search"><label for="search">Search</label><input type="search" id="search" autocomplete="off" spellcheck="false"></p>
      <p class="hint" id="found" role="status"></p>
    </div>
    <table role="table" id="tool-table" aria-labelledby="tools-title" hidden>
      <thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Tool</th><th role="columnheader" scope="col">What its server says of it</th><th role="columnheader" scope="col">Hints</th><th role="columnheader" scope="col">State</th></tr></thead>
      <tbody role="rowgroup" id="tool-rows"></tbody>
    </table>
    <p class="none" id="no-tools" hidden></p>
    <p class="more"><button type="button" id="more" hidden>Show more</button></p>
  </section>
  <section class="plate" id="names" aria-labelledby="names-title" hidden>
    <div class="bar"><h2 id="names-title">Directory of names</h2><p class="hint">what the model says ↔ your name for the server ↔ the server's name for the tool</p></div>
    <table role="table" aria-labelledby="names-title">
      <thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Public name</th><th role="columnheader" scope="col">Alias</th><th role="columnheader" scope="col">Raw name</th></tr></thead>
      <tbody role="rowgroup" id="name-rows"></tbody>
    </table>
  </section>
</main>
<footer>
  <p id="version">fusebox</p>
  <p>The same for programs: <span class="paths"><code>/status</code> <code>/status.schema.json</code> <code>/tools</code> <code>/events</code> <code>/metrics</code> <code>/health/ready</code></span></p>
</footer>
<p class="unseen" id="news" role="status"></p>
<noscript><p class="notice">This page draws itself with JavaScript. The same as text: <code>/status</code> and <code>/metrics</code>.</p></noscript>
<script>${script}</script>
</body>
</html>
`;
}

const FUSE =
  `<svg viewBox="0 0 40 20" aria-hidden="true"><rect class="cap" x="1" y="4" width="9" height="12" rx="2"/><rect class="cap" x="30" y="4" width="9" height="12" rx="2"/><rect class="glass" x="9" y="6" width="22" height="8"/><path class="wire" d="M10 10c4 0 4-3 7-3s3 6 6 6 3-3 7-3"/></svg>`;
