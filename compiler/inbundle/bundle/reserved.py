"""Names that an entry function cannot have: keywords, what C libraries and the example application define.

A bundle's entry is a global symbol. One called `log` or `read` would replace the library's function in the whole
program, so these names are refused and not only those that a compiler would reject.
"""

from __future__ import annotations

from inbundle.kernels.source import support_functions

_C_KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
"""

_CXX_KEYWORDS = """
    alignas alignof and and_eq asm bitand bitor bool catch char8_t char16_t char32_t class co_await co_return co_yield
    compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export false friend
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast
    requires static_assert static_cast template this thread_local throw true try typeid typename using virtual wchar_t
    xor xor_eq
"""

_PREDEFINED = "linux unix i386 typeof errno assert NULL EOF stdin stdout stderr environ main offsetof std signbit"

_TYPES = """
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t size_t
    ssize_t ptrdiff_t max_align_t div_t ldiv_t lldiv_t double_t float_t FILE BundleConfig SymbolTableEntry
    BundleTask BundleProfile
"""

_MATH = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax
    fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint
    nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc gamma j0 j1
    jn y0 y1 yn significand drem scalb pow10 exp10
"""

_LIBRARY = """
    abort abs aligned_alloc atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv llabs lldiv malloc
    mblen mbstowcs mbtowc qsort quick_exit rand realloc srand strtod strtof strtol strtold strtoll strtoul strtoull
    system wcstombs wctomb
    clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen fscanf fseek fsetpos
    ftell fwrite getc getchar gets perror printf putc putchar puts remove rename rewind scanf setbuf setvbuf snprintf
    sprintf sscanf tmpfile tmpnam ungetc vfprintf vprintf vscanf vsnprintf vsprintf vsscanf
    memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strdup strerror strlen strncat
    strncmp strncpy strpbrk strrchr strspn strstr strtok strxfrm
    isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper
    asctime clock ctime difftime gmtime localtime mktime strftime time timespec_get
    longjmp setjmp raise signal localeconv setlocale reset_handler
    accept access alarm bcmp bcopy bind brk bzero chdir chmod chown clone close closedir connect creat dup dup2 execl
    execv fcntl ffs fork fstat fsync ftruncate getcwd getopt getpid getuid index ioctl isatty kill link listen lseek
    mkdir mmap mount munmap nanosleep nice open opendir pause pipe poll pread pwrite read readdir readlink recv rindex
    rmdir sbrk select send setenv shutdown sigaction sleep socket stat symlink sync syscall truncate tsearch umask uname
    unlink usleep utime wait waitpid write
"""

# What the bundle's own translation unit defines, with the engine and the native functions, all headers, and main.c.
MACRO_PREFIXES = ("INPLA_", "INBUNDLE_", "GLOW_")
_OWN_PREFIXES = (*MACRO_PREFIXES, "inpla_", "native_", "bundle_", "rule_", "main_", "__")

_MATHEMATICAL = frozenset(_MATH.split()) | {"abs"}
_WORDS = (_C_KEYWORDS, _CXX_KEYWORDS, _PREDEFINED, _TYPES, _LIBRARY)
_RESERVED = _MATHEMATICAL | frozenset(" ".join(_WORDS).split())


def is_reserved(name: str) -> bool:
    """Whether a C or C++ program cannot have, or should not have, a global function of this name."""
    if name in _RESERVED or name in support_functions() or name.startswith(_OWN_PREFIXES):
        return True
    if name[0] == "_" and name[1:2].isupper():
        return True
    return name[-1] in "fl" and name[:-1] in _MATHEMATICAL  # the float and long double forms, `expf` and `expl`
