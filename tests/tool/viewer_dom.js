// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The uncore authors
//
// As much of a browser's document as share/viewer.html needs to make its page,
// for where there is no browser: node viewer_dom.js PAGE prints the page that
// the script made of the data in PAGE.
"use strict";
const fs = require("fs");
const vm = require("vm");

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;")
	.replace(/>/g, "&gt;").replace(/"/g, "&quot;");

class Node {
	constructor(tag) {
		this.tag = tag;
		this.attributes = new Map();
		this.children = [];
		this.style = {};
		this.value = ""; // that was typed in, of an input
		this.parent = null;
	}
	static text(text) {
		const node = new Node(null);
		node.data = String(text);
		return node;
	}
	setAttribute(name, value) { this.attributes.set(name, String(value)); }
	getAttribute(name) { return this.attributes.get(name) ?? null; }
	removeAttribute(name) { this.attributes.delete(name); }
	addEventListener() {}
	append(...nodes) {
		for (const node of nodes) {
			const child = node instanceof Node ? node : Node.text(node);
			child.parent = this;
			this.children.push(child);
		}
	}
	replaceChildren(...nodes) {
		this.children = [];
		this.append(...nodes);
	}
	get firstChild() { return this.children[0] || null; }
	get textContent() {
		return this.tag === null ? this.data : this.children.map((child) => child.textContent).join("");
	}
	set textContent(text) { this.replaceChildren(text); }
	get html() {
		if (this.tag === null)
			return escaped(this.data);
		const own = [...this.attributes].map(([name, value]) => ` ${name}="${escaped(value)}"`);
		return `<${this.tag}${own.join("")}>${this.children.map((child) => child.html).join("")}</${this.tag}>`;
	}
	find(fits) {
		return fits(this) ? this : this.children.reduce((found, child) => found || child.find(fits), null);
	}
}

const page = fs.readFileSync(process.argv[2], "utf8");
const body = new Node("body");
for (const [tag, id] of [["h1", "title"], ["p", "facts"], ["ul", "contents"], ["main", "main"],
	["script", "data"]]) {
	const node = new Node(tag);
	node.setAttribute("id", id);
	body.append(node);
}
const byId = (id) => body.find((node) => node.getAttribute("id") === id);
byId("data").textContent = page.split('id="data">')[1].split("</script>")[0];
vm.runInNewContext(page.split("<script>")[1].split("</script>")[0], {
	Node, document: {
		createElement: (tag) => new Node(tag),
		createElementNS: (space, tag) => new Node(tag),
		getElementById: byId,
		querySelector: (text) => {
			const [, name, value] = /^\[(.*)=(.*)\]$/.exec(text);
			return body.find((node) => node.getAttribute(name) === value);
		},
	},
});
process.stdout.write("<!DOCTYPE html>" + body.html + "\n");
