# mandoc finds nothing to warn of in any page.
for page in "$SOURCE"/docs/man/*.1; do
	mandoc -Tlint -Wwarning "$page" | sed "s|$SOURCE/||"
done
