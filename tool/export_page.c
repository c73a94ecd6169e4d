/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One page, with nothing from elsewhere: its script puts the picture in, and a
 * new one every two seconds as long as somebody looks. A picture is parsed as
 * XML, not pasted as text. Where it cannot be had the old one stays, greyed,
 * with the reason.
 */
#include "export_page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "tool.h"

int export_nonce(char nonce[EXPORT_NONCE_BYTES])
{
	unsigned char bytes[EXPORT_NONCE_BYTES / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return tool_fail(TOOL_FAILED, "no random number can be had: %s",
				 strerror(errno));
	for (unsigned i = 0; i < sizeof(bytes); i++)
		snprintf(&nonce[2 * i], 3, "%02x", bytes[i]);
	return TOOL_OK;
}

static const char style[] =
	"body{margin:1em;font-family:sans-serif;color:#1f2937;"
	"background:#fff}\n"
	"#picture svg{max-width:100%;height:auto}\n"
	".old{opacity:.4}\n"
	"p{font-size:small;color:#4b5563}\n"
	"a{color:inherit}\n";

static const char script[] =
	"const picture = document.getElementById('picture');\n"
	"const state = document.getElementById('state');\n"
	"async function look() {\n"
	"  if (document.hidden) return;\n"
	"  const answer = await fetch('picture.svg', {cache: 'no-store',\n"
	"    signal: AbortSignal.timeout(10000)});\n"
	"  if (!answer.ok) throw new Error(await answer.text());\n"
	"  const svg = new DOMParser().parseFromString(await answer.text(),\n"
	"    'image/svg+xml').documentElement;\n"
	"  if (svg.nodeName !== 'svg') throw new Error('no picture came');\n"
	"  picture.replaceChildren(document.importNode(svg, true));\n"
	"  picture.className = '';\n"
	"  state.textContent = new Date().toLocaleTimeString();\n"
	"}\n"
	"async function again() {\n"
	"  try {\n"
	"    await look();\n"
	"  } catch (error) {\n"
	"    picture.className = 'old';\n"
	"    state.textContent = 'not up to date: ' + error.message;\n"
	"  }\n"
	"  setTimeout(again, 2000);\n"
	"}\n"
	"again();\n";

char *export_page(const char *nonce)
{
	return tool_print(
		"<!DOCTYPE html>\n"
		"<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		"<title>uncore</title>\n"
		"<link rel=\"icon\" href=\"data:,\">\n"
		"<style nonce=\"%s\">\n%s</style></head>\n"
		"<body><div id=\"picture\"></div>\n"
		"<p><span id=\"state\">waiting for the first picture"
		"</span>. <a href=\"metrics\">metrics</a></p>\n"
		"<noscript><p>Without scripts: <a href=\"picture.svg\">the "
		"picture as it is now</a>.</p></noscript>\n"
		"<script nonce=\"%s\">\n%s</script>\n"
		"</body></html>\n",
		nonce, style, nonce, script);
}
